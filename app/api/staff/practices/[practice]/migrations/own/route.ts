// POST practices/{practice}/migrations/own: starts a run over the practice's own legacy records, without an upload.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { startOwnRun } from "@/lib/migration/read/legacy-scan";
import { ownRun } from "@/lib/migration/runs/staff-schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.migrations.own",
    role: "staff",
    params: { practice: idParam },
    body: json(ownRun),
    status: 201,
    handle: async ({ access, origin, params, body }) => ({
      body: await startOwnRun({ access, origin }, params.practice, body.as_of),
    }),
  }),
});
