// DELETE practices/{practice}/clients/{client}/secrets/{secret}: revokes the secret and every token issued with it.

import { revokeSecret } from "@/lib/access/clients/client-commands";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { route } from "@/lib/platform/http/route";

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
