// POST practices/{practice}/clients/{client}/secrets: shows the new secret once; the old one expires after keep_hours.
import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { rotateSecret } from "@/lib/oauth/client-commands";
import { rotationInput } from "@/lib/oauth/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.clients.rotate_secret",
    role: "admin",
    params: { practice: idParam, client: idParam },
    body: json(rotationInput),
    status: 201,
    toldOnce: true,
    versioned: true,
    handle: async ({ access, params, body, origin, ifMatch }) => ({
      body: await rotateSecret({ access, origin, id: params.client, ifMatch, keepHours: body.keep_hours }),
    }),
  }),
});
