// POST policies/undo: reverts the last write as new versions. Returns 412 if a policy changed since.

import { dryRunQuery, idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { undoPolicies } from "@/lib/insurance/commands/undo-policies";
import { toStaffPolicyDto } from "@/lib/insurance/policies/dto";
import { undoInput } from "@/lib/insurance/policies/schema";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.policies.undo",
    role: "staff",
    params: { practice: idParam, patient: idParam },
    query: dryRunQuery,
    body: json(undoInput),
    status: 200,
    handle: async ({ access, origin, params, query, body }) => {
      const request = { access, origin, patientId: params.patient, dryRun: query.dry_run };
      const outcome = await undoPolicies(request, body.policies);
      return replyToWrite(outcome, query.dry_run, { body: outcome.result.map(toStaffPolicyDto) });
    },
  }),
});
