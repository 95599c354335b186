// POST practices/{practice}/migrations/{run}/decisions: accepts, skips, reopens or assigns findings.
import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { decideFindings } from "@/lib/migration/commands/decide";
import { decisionBody } from "@/lib/migration/schema/staff";

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
