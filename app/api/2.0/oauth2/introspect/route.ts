// POST oauth2/introspect (RFC 7662). Another client's token is reported as inactive.

import { findValidToken } from "@/lib/access/clients/queries";
import { introspectionResponse, tokenReferenceForm } from "@/lib/access/clients/schema";
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { invalidRequest, oauthForm, requireClient } from "@/lib/access/endpoints/oauth-form";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "oauth2.introspect",
    summary: "Introspect an access token",
    description: "RFC 7662. Another client's token is reported as inactive.",
    scope: "public",
    body: oauthForm(tokenReferenceForm),
    response: introspectionResponse,
    status: 200,
    handle: async ({ body: form, header, origin }) => {
      const caller = { form, authorization: header("authorization"), origin };
      const { client } = await requireClient(caller);
      const token = form.get("token");
      if (!token) throw invalidRequest("token is missing.");
      const found = await findValidToken(token);
      if (!found || found.access.clientId !== client.id) return { body: { active: false } };
      const body = {
        active: true,
        scope: found.access.scopes.join(" "),
        client_id: found.publicClientId,
        token_type: "Bearer",
        exp: Math.floor(Date.parse(found.expiresDate) / 1000),
        iat: Math.floor(Date.parse(found.createdDate) / 1000),
      };
      return { body };
    },
  }),
});
