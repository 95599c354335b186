// POST oauth2/token: client credentials. Grants all requested scopes or none (specification, Get token).

import { auditIssuedToken, auditRejectedScopes } from "@/lib/access/clients/audit-commands";
import { grantScopes } from "@/lib/access/clients/rules";
import { tokenForm, tokenResponse } from "@/lib/access/clients/schema";
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { grantToken, invalidRequest, oauthForm, requireClient } from "@/lib/access/endpoints/oauth-form";
import { config } from "@/lib/platform/config";
import { OauthError } from "@/lib/platform/http/errors";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "oauth2.token",
    summary: "Get an access token",
    scope: "public",
    body: oauthForm(tokenForm),
    response: tokenResponse,
    status: 200,
    handle: async ({ body: form, header, origin }) => {
      const grantType = form.get("grant_type");
      if (!grantType) throw invalidRequest("grant_type is missing.");
      if (grantType !== "client_credentials") {
        throw new OauthError("unsupported_grant_type", `"${grantType}" is not offered; use client_credentials.`);
      }
      const caller = { form, authorization: header("authorization"), origin };
      const { client, secretId } = await requireClient(caller);
      const granted = grantScopes(form.get("scope"), {
        scopedTokens: client.scoped_tokens,
        allowedScopes: client.allowed_scopes,
      });
      if ("problem" in granted) {
        await auditRejectedScopes(client, origin);
        throw new OauthError("invalid_scope", granted.problem);
      }
      const lifetimeSeconds = config().TOKEN_LIFETIME_SECONDS;
      const token = await grantToken({ clientId: client.id, secretId, scopes: granted.scopes, lifetimeSeconds });
      await auditIssuedToken({ client, secretId, scopes: granted.scopes }, origin);
      const body = {
        access_token: token,
        token_type: "Bearer",
        expires_in: lifetimeSeconds,
        scope: granted.scopes.join(" "),
      };
      return { body, headers: { pragma: "no-cache" } };
    },
  }),
});
