// PATCH, DELETE practices/{practice}/clients/{client}. DELETE removes the client's access to this practice only.

import { changeClient, removeClientFromPractice } from "@/lib/access/clients/client-commands";
import { clientPatch } from "@/lib/access/clients/schema";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

const params = { practice: idParam, client: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  PATCH: staffEndpoint({
    name: "staff.clients.change",
    role: "admin",
    params,
    body: json(clientPatch),
    status: 204,
    versioned: true,
    handle: async ({ access, params, body, origin, ifMatch }) => {
      await changeClient({ access, origin, id: params.client, ifMatch }, body);
      return {};
    },
  }),
  DELETE: staffEndpoint({
    name: "staff.clients.remove",
    role: "admin",
    params,
    status: 204,
    versioned: true,
    handle: async ({ access, params, origin, ifMatch }) => {
      await removeClientFromPractice({ access, origin, id: params.client, ifMatch });
      return {};
    },
  }),
});
