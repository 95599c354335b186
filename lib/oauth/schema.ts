import { z } from "zod";

/** Answer of the token endpoint (RFC 6749 §5.1, design §3). */
export const tokenAnswer = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  expires_in: z.int(),
  scope: z.string(),
});

/** Answer of introspection (RFC 7662 §2.2); `{"active": false}` tells nothing else. */
export const introspectionAnswer = z.object({
  active: z.boolean(),
  scope: z.string().optional(),
  client_id: z.string().optional(),
  token_type: z.literal("Bearer").optional(),
  exp: z.int().optional(),
  iat: z.int().optional(),
});
