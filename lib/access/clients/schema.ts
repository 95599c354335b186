import { z } from "zod";

const credentials = {
  client_id: z.string().optional().describe("Send it here or as the username of HTTP Basic."),
  client_secret: z.string().optional().describe("Send it here or as the password of HTTP Basic."),
};

/** The form of the token endpoint, for the API description (specification, Token request). */
export const tokenForm = z
  .object({
    grant_type: z.literal("client_credentials"),
    ...credentials,
    scope: z.string().optional().describe("Scopes with spaces between them. Default: apiv2, which allows everything."),
  })
  .meta({ title: "TokenRequest" });

/** The form of revocation and introspection, for the API description. */
export const tokenReferenceForm = z
  .object({ ...credentials, token: z.string().describe("The access token.") })
  .meta({ title: "TokenReference" });

/** The response of the token endpoint (RFC 6749 §5.1). */
export const tokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: z.int().describe("Seconds."),
    scope: z.string(),
  })
  .meta({ title: "Token" });

/** The response of introspection (RFC 7662 §2.2). An inactive token has no other fields. */
export const introspectionResponse = z
  .object({
    active: z.boolean(),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    token_type: z.literal("Bearer").optional(),
    exp: z.int().optional(),
    iat: z.int().optional(),
  })
  .meta({ title: "TokenIntrospection" });

const allowedScopes = z.array(z.string().max(100)).max(500);

/** A new API client, as an admin sends it. */
export const clientInput = z.object({
  name: z.string().trim().min(1).max(200),
  practices: z.array(z.int().positive()).min(1).max(1000),
  /** Takes part in the closed beta of token scopes. */
  scoped_tokens: z.boolean().default(false),
  /** Empty means all. */
  allowed_scopes: allowedScopes.default([]),
});
export type ClientInput = z.output<typeof clientInput>;

/** Changes to a client. Omitted fields stay. */
export const clientPatch = z
  .object({ ...clientInput.shape, scoped_tokens: z.boolean(), allowed_scopes: allowedScopes, disabled: z.boolean() })
  .partial();
export type ClientPatch = z.output<typeof clientPatch>;

/** A rotation. The current secrets stay valid for `keep_hours`. */
export const rotationInput = z.object({
  keep_hours: z
    .int()
    .min(0)
    .max(24 * 90),
});
