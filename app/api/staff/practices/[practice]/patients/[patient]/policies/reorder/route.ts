// POST policies/reorder: sets the ranks of all active policies, if they are those the user saw. Archives nothing.

import { dryRunQuery, idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { reorderPolicies } from "@/lib/insurance/commands/reorder-policies";
import { toStaffPolicyDto } from "@/lib/insurance/policies/dto";
import { versionedReorderInput } from "@/lib/insurance/policies/schema";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.policies.reorder",
    role: "staff",
    params: { practice: idParam, patient: idParam },
    query: dryRunQuery,
    body: json(versionedReorderInput),
    status: 200,
    handle: async ({ access, origin, params, query, body }) => {
      const request = { access, origin, patientId: params.patient, dryRun: query.dry_run };
      const outcome = await reorderPolicies(request, body);
      return replyToWrite(outcome, query.dry_run, { body: outcome.result.map(toStaffPolicyDto) });
    },
  }),
});
