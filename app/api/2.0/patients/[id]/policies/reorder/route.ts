// POST patients/{id}/policies/reorder: swaps or rotates ranks in one step. Never archives a policy (409 rank_taken).
import { z } from "zod";
import { json } from "@/lib/http/body";
import { dryRunQuery, endpoint, idParam } from "@/lib/http/endpoint";
import { BadRequestError } from "@/lib/http/errors";
import { replyToWrite } from "@/lib/http/outcome";
import { route } from "@/lib/http/route";
import { reorderPolicies } from "@/lib/policies/commands/reorder-policies";
import { toPolicyDto } from "@/lib/policies/dto";
import { policyAnswer, reorderInput } from "@/lib/policies/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "policies.reorder",
    summary: "Swap or rotate the ranks of policies in one step",
    group: "Insurance",
    refusals: [409, 410],
    scope: "system/patients.write",
    source: "policies_api",
    params: { id: idParam },
    query: dryRunQuery,
    body: json(reorderInput),
    response: z.array(policyAnswer),
    status: 200,
    handle: async ({ access, origin, params, query, body, ifMatch }) => {
      // It would name the version of one policy: to ignore it would let the caller believe it was checked.
      if (ifMatch !== null) {
        throw new BadRequestError("if_match_not_offered", "If-Match: a reorder changes several policies; send none.");
      }
      const outcome = await reorderPolicies({ access, origin, patientId: params.id, dryRun: query.dry_run }, body);
      return replyToWrite(outcome, query.dry_run, { body: outcome.result.map(toPolicyDto) });
    },
  }),
});
