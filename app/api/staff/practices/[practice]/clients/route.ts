// GET, POST practices/{practice}/clients: the API clients with access to the practice, their use and their changes.
import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { registerClient } from "@/lib/oauth/client-commands";
import { clientInput } from "@/lib/oauth/schema";
import { viewClients } from "@/lib/practices/client-use-queries";

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
    toldOnce: true,
    handle: async ({ access, body, origin }) => ({ body: await registerClient({ access, origin }, body) }),
  }),
});
