// POST oauth2/token: client credentials. Grants all requested scopes or none (specification, Get token).

import { auditIssuedToken } from "@/lib/access/clients/audit-commands";
import { tokenForm, tokenResponse } from "@/lib/access/clients/schema";
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { invalidRequest, oauthForm, requireToken } from "@/lib/access/endpoints/oauth-form";
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
      const lifetimeSeconds = config().TOKEN_LIFETIME_SECONDS;
      const { token, client, secretId, scopes } = await requireToken(caller, lifetimeSeconds);
      await auditIssuedToken({ client, secretId, scopes }, origin);
      const body = {
        access_token: token,
        token_type: "Bearer",
        expires_in: lifetimeSeconds,
        scope: scopes.join(" "),
      };
      return { body, headers: { pragma: "no-cache" } };
    },
  }),
});
