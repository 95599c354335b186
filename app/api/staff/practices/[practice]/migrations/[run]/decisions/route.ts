// POST practices/{practice}/migrations/{run}/decisions: accepts, skips, reopens or assigns findings.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { decideFindings } from "@/lib/migration/check/decide";
import { decisionBody } from "@/lib/migration/runs/staff-schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.migrations.decide",
    role: "staff",
    params: { practice: idParam, run: idParam },
    body: json(decisionBody),
    status: 200,
    handle: async ({ access, origin, params, body }) => ({
      body: await decideFindings({ access, origin }, params.run, body.findings, body.decision),
    }),
  }),
});
