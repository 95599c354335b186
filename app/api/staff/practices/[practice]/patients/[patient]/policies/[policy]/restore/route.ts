// POST policies/{policy}/restore: to the rank in the body or else its own. Returns 409 if the rank is taken.
import { json } from "@/lib/http/body";
import { dryRunQuery, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { restorePolicy } from "@/lib/policies/commands/archive-policy";
import { toPolicyWriteDto } from "@/lib/policies/dto";
import { restoreInput } from "@/lib/policies/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.policies.restore",
    role: "staff",
    params: { practice: idParam, patient: idParam, policy: idParam },
    query: dryRunQuery,
    body: json(restoreInput),
    status: 200,
    versioned: true,
    handle: async ({ access, origin, params, query, body, ifMatch }) => {
      const request = { access, origin, patientId: params.patient, dryRun: query.dry_run };
      const to = { rank: body.rank, taking: { seen: body.rank_holder, to: body.rank_holder_to } };
      return { body: toPolicyWriteDto(await restorePolicy(request, params.policy, ifMatch, to)) };
    },
  }),
});
