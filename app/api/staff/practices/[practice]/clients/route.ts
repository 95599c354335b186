// GET, POST practices/{practice}/clients: the API clients with access to the practice, their use and their changes.

import { registerClient } from "@/lib/access/clients/client-commands";
import { clientInput } from "@/lib/access/clients/schema";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { viewClients } from "@/lib/practice/practices/staff-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.clients.list",
    role: "admin",
    params: { practice: idParam },
    status: 200,
    handle: async ({ access }) => ({ body: await viewClients(access) }),
  }),
  POST: staffEndpoint({
    name: "staff.clients.register",
    role: "admin",
    params: { practice: idParam },
    body: json(clientInput),
    status: 201,
    oneTimeResponse: true,
    handle: async ({ access, body, origin }) => ({ body: await registerClient({ access, origin }, body) }),
  }),
});
