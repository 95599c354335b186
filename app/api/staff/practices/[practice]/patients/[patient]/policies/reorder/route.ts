// POST policies/reorder: sets the ranks of all active policies, if they are those the user saw. Archives nothing.
import { json } from "@/lib/http/body";
import { dryRunQuery, idParam } from "@/lib/http/endpoint";
import { replyToWrite } from "@/lib/http/outcome";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { reorderPolicies } from "@/lib/policies/commands/reorder-policies";
import { toStaffPolicyDto } from "@/lib/policies/dto";
import { seenOrderInput } from "@/lib/policies/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.policies.reorder",
    role: "staff",
    params: { practice: idParam, patient: idParam },
    query: dryRunQuery,
    body: json(seenOrderInput),
    status: 200,
    handle: async ({ access, origin, params, query, body }) => {
      const request = { access, origin, patientId: params.patient, dryRun: query.dry_run };
      const outcome = await reorderPolicies(request, body);
      return replyToWrite(outcome, query.dry_run, { body: outcome.result.map(toStaffPolicyDto) });
    },
  }),
});
