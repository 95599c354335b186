// DELETE practices/{practice}/clients/{client}/secrets/{secret}: revokes the secret and every token issued with it.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { revokeSecret } from "@/lib/oauth/client-commands";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  DELETE: staffEndpoint({
    name: "staff.clients.revoke_secret",
    role: "admin",
    params: { practice: idParam, client: idParam, secret: idParam },
    status: 204,
    versioned: true,
    handle: async ({ access, params, origin, ifMatch }) => {
      await revokeSecret({ access, origin, id: params.client, secretId: params.secret, ifMatch });
      return {};
    },
  }),
});
