// PATCH, DELETE practices/{practice}/clients/{client}. DELETE removes the client's access to this practice only.
import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { changeClient, removeClientFromPractice } from "@/lib/oauth/client-commands";
import { clientPatch } from "@/lib/oauth/schema";

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
