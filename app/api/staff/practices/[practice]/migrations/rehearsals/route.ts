// POST practices/{practice}/migrations/rehearsals: previews a legacy write. Saves nothing.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { rehearsalBody } from "@/lib/migration/runs/staff-schema";
import { whatWouldHappen } from "@/lib/migration/what-if/what-would-happen";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.migrations.rehearse",
    role: "viewer",
    params: { practice: idParam },
    body: json(rehearsalBody),
    status: 200,
    handle: async ({ access, origin, body }) => ({
      body: await whatWouldHappen({ access, origin }, body.patient, body.body),
      patients: [body.patient],
    }),
  }),
});
