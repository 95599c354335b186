// POST practices/{practice}/clients/{client}/secrets: shows the new secret once; the old one expires after keep_hours.

import { rotateSecret } from "@/lib/access/clients/client-commands";
import { rotationInput } from "@/lib/access/clients/schema";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.clients.rotate_secret",
    role: "admin",
    params: { practice: idParam, client: idParam },
    body: json(rotationInput),
    status: 201,
    oneTimeResponse: true,
    versioned: true,
    handle: async ({ access, params, body, origin, ifMatch }) => ({
      body: await rotateSecret({ access, origin, id: params.client, ifMatch, keepHours: body.keep_hours }),
    }),
  }),
});
