// POST oauth2/revoke: revokes one of the client's own tokens (RFC 7009). Unknown tokens also return 200.

import { forgetToken } from "@/lib/access/clients/authenticate";
import { revokeToken } from "@/lib/access/clients/commands";
import { tokenReferenceForm } from "@/lib/access/clients/schema";
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { invalidRequest, oauthForm, requireClient } from "@/lib/access/endpoints/oauth-form";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "oauth2.revoke",
    summary: "Revoke an access token",
    description: "RFC 7009. Revoking an unknown token also succeeds.",
    scope: "public",
    body: oauthForm(tokenReferenceForm),
    status: 200,
    handle: async ({ body: form, header, origin }) => {
      const caller = { form, authorization: header("authorization"), origin };
      const { client } = await requireClient(caller);
      const token = form.get("token");
      if (!token) throw invalidRequest("token is missing.");
      await revokeToken(client, token, origin);
      forgetToken(token);
      return {};
    },
  }),
});
