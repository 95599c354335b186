// POST patients/{id}/policies/reorder: swaps or rotates ranks in one step. Never archives a policy (409 rank_taken).

import { z } from "zod";
import { dryRunQuery, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { reorderPolicies } from "@/lib/insurance/commands/reorder-policies";
import { toPolicyDto } from "@/lib/insurance/policies/dto";
import { policyResponse, reorderInput } from "@/lib/insurance/policies/schema";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "policies.reorder",
    summary: "Swap or rotate the ranks of policies in one step",
    group: "Insurance",
    errors: [409, 410],
    scope: "system/patients.write",
    source: "policies_api",
    params: { id: idParam },
    query: dryRunQuery,
    body: json(reorderInput),
    response: z.array(policyResponse),
    status: 200,
    handle: async ({ access, origin, params, query, body }) => {
      const outcome = await reorderPolicies({ access, origin, patientId: params.id, dryRun: query.dry_run }, body);
      return replyToWrite(outcome, query.dry_run, { body: outcome.result.map(toPolicyDto) });
    },
  }),
});
