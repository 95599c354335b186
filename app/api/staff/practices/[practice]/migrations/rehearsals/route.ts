// POST practices/{practice}/migrations/rehearsals: previews a legacy write. Saves nothing.
import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { whatWouldHappen } from "@/lib/migration/commands/what-would-happen";
import { rehearsalBody } from "@/lib/migration/schema/staff";

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
