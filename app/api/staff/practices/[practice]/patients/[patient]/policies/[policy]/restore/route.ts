// POST policies/{policy}/restore: to the rank in the body or else its own. Returns 409 if the rank is taken.

import { dryRunQuery, idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { restorePolicy } from "@/lib/insurance/commands/restore-policy";
import { toPolicyWriteDto } from "@/lib/insurance/policies/dto";
import { restoreInput } from "@/lib/insurance/policies/schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

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
      const to = { rank: body.rank, takeover: { seen: body.rank_holder, to: body.rank_holder_to } };
      return { body: toPolicyWriteDto(await restorePolicy(request, params.policy, ifMatch, to)) };
    },
  }),
});
