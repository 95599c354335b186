import { z } from "zod";

const credentials = {
  client_id: z.string().optional().describe("Here, or as the user name of HTTP Basic."),
  client_secret: z.string().optional().describe("Here, or as the password of HTTP Basic."),
};

/** Form of the token endpoint, for the API description (specification, Token request). */
export const tokenForm = z
  .object({
    grant_type: z.literal("client_credentials"),
    ...credentials,
    scope: z.string().optional().describe("Scopes with spaces between them. Left out: apiv2, which allows everything."),
  })
  .meta({ title: "TokenRequest" });

/** Form of revocation and introspection, for the API description. */
export const tokenReferenceForm = z
  .object({ ...credentials, token: z.string().describe("The access token.") })
  .meta({ title: "TokenReference" });

/** Answer of the token endpoint (RFC 6749 §5.1, design §3). */
export const tokenAnswer = z
  .object({
    access_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: z.int().describe("Seconds."),
    scope: z.string(),
  })
  .meta({ title: "Token" });

/** Answer of introspection (RFC 7662 §2.2); `{"active": false}` tells nothing else. */
export const introspectionAnswer = z
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

/** A new API client, as an admin of the staff sends it. */
export const clientInput = z.object({
  name: z.string().trim().min(1).max(200),
  practices: z.array(z.int().positive()).min(1).max(1000),
  /** In the closed beta of token scopes. */
  scoped_tokens: z.boolean().default(false),
  /** Empty: every scope. */
  allowed_scopes: allowedScopes.default([]),
});
export type ClientInput = z.output<typeof clientInput>;

/** What an admin may change of a client. What is left out stays. */
export const clientPatch = z
  .object({ ...clientInput.shape, scoped_tokens: z.boolean(), allowed_scopes: allowedScopes, disabled: z.boolean() })
  .partial();
export type ClientPatch = z.output<typeof clientPatch>;

/** A rotation: how long the secrets there are now stay valid. */
export const rotationInput = z.object({
  keep_hours: z
    .int()
    .min(0)
    .max(24 * 90),
});
