// POST patients/{id}/policies/{policy_id}/restore: returns 409 if another policy holds the rank.

import { dryRunQuery, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { restorePolicy } from "@/lib/insurance/commands/restore-policy";
import { toPolicyDto } from "@/lib/insurance/policies/dto";
import { policyResponse } from "@/lib/insurance/policies/schema";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { etagOf } from "@/lib/platform/http/conditional";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "policies.restore",
    summary: "Restore an archived policy",
    description: "Returns 409 `rank_taken` if another policy holds its rank.",
    group: "Insurance",
    conditional: true,
    errors: [409, 410],
    scope: "system/patients.write",
    source: "policies_api",
    params: { id: idParam, policy_id: idParam },
    query: dryRunQuery,
    response: policyResponse,
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, origin, params, query, ifMatch }) => {
      const request = { access, origin, patientId: params.id, dryRun: query.dry_run };
      const outcome = await restorePolicy(request, params.policy_id, ifMatch);
      const headers = { etag: etagOf(outcome.result.version) };
      return replyToWrite(outcome, query.dry_run, { body: toPolicyDto(outcome.result), headers });
    },
  }),
});
