// POST oauth2/revoke: revokes one of the client's own tokens (RFC 7009). Unknown tokens also return 200.
import { endpoint } from "@/lib/http/endpoint";
import { invalidRequest, oauthForm, requireClient } from "@/lib/http/oauth-form";
import { route } from "@/lib/http/route";
import { auditRevokedToken } from "@/lib/oauth/audit-commands";
import { forgetToken } from "@/lib/oauth/authenticate";
import { revokeToken } from "@/lib/oauth/commands";
import { tokenReferenceForm } from "@/lib/oauth/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "oauth2.revoke",
    summary: "Revoke an access token",
    description: "RFC 7009. An unknown token is a success as well.",
    scope: "public",
    body: oauthForm(tokenReferenceForm),
    status: 200,
    handle: async ({ body: form, header, origin }) => {
      const caller = { form, authorization: header("authorization"), origin };
      const { client } = await requireClient(caller);
      const token = form.get("token");
      if (!token) throw invalidRequest("token is missing.");
      const revoked = await revokeToken(client.id, token);
      forgetToken(token);
      if (revoked) await auditRevokedToken(client, origin);
      return {};
    },
  }),
});
