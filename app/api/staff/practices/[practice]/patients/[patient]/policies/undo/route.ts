// POST policies/undo: reverts the last write as new versions. Returns 412 if a policy changed since.
import { json } from "@/lib/http/body";
import { dryRunQuery, idParam } from "@/lib/http/endpoint";
import { replyToWrite } from "@/lib/http/outcome";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { undoPolicies } from "@/lib/policies/commands/undo-policies";
import { toStaffPolicyDto } from "@/lib/policies/dto";
import { undoInput } from "@/lib/policies/schema";

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
