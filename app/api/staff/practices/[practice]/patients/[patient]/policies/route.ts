// GET, POST policies. POST archives or moves the policy that holds the rank, if it is the one the user saw (412).

import { dryRunQuery, idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { createPolicy } from "@/lib/insurance/commands/create-policy";
import { toPoliciesViewDto, toPolicyWriteDto } from "@/lib/insurance/policies/dto";
import { staffPolicyInput } from "@/lib/insurance/policies/schema";
import { viewPolicies } from "@/lib/insurance/policies/staff-queries";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

const params = { practice: idParam, patient: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.policies.list",
    role: "viewer",
    params,
    status: 200,
    handle: async ({ access, params }) => ({ body: toPoliciesViewDto(await viewPolicies(access, params.patient)) }),
  }),
  POST: staffEndpoint({
    name: "staff.policies.create",
    role: "staff",
    params,
    query: dryRunQuery,
    body: json(staffPolicyInput),
    status: 201,
    handle: async ({ access, origin, params, query, body: { rank_holder: seen, rank_holder_to: to, ...body } }) => {
      const request = { access, origin, patientId: params.patient, dryRun: query.dry_run };
      const outcome = await createPolicy(request, body, { seen, to });
      return { status: query.dry_run ? 200 : 201, body: toPolicyWriteDto(outcome) };
    },
  }),
});
