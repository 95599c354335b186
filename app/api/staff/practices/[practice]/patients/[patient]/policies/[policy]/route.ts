// GET, PUT, DELETE policies/{policy}. PUT to a held rank archives or moves the holder, if it is the one the user saw (412).

import { dryRunQuery, idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { archivePolicy } from "@/lib/insurance/commands/archive-policy";
import { updatePolicy } from "@/lib/insurance/commands/update-policy";
import { viewPolicyPage } from "@/lib/insurance/patient-page/queries";
import { toPolicyWriteDto } from "@/lib/insurance/policies/dto";
import { staffPolicyInput } from "@/lib/insurance/policies/schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

const params = { practice: idParam, patient: idParam, policy: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.policies.get",
    role: "viewer",
    params,
    status: 200,
    handle: async ({ access, params }) => ({
      body: await viewPolicyPage(access, params.patient, params.policy),
    }),
  }),
  PUT: staffEndpoint({
    name: "staff.policies.update",
    role: "staff",
    params,
    query: dryRunQuery,
    body: json(staffPolicyInput),
    status: 200,
    versioned: true,
    handle: async ({
      access,
      origin,
      params,
      query,
      body: { rank_holder: seen, rank_holder_to: to, ...body },
      ifMatch,
    }) => {
      const request = { access, origin, patientId: params.patient, dryRun: query.dry_run };
      const outcome = await updatePolicy(request, params.policy, body, ifMatch, { seen, to });
      return { body: toPolicyWriteDto(outcome) };
    },
  }),
  DELETE: staffEndpoint({
    name: "staff.policies.archive",
    role: "staff",
    params,
    query: dryRunQuery,
    status: 200,
    versioned: true,
    handle: async ({ access, origin, params, query, ifMatch }) => {
      const request = { access, origin, patientId: params.patient, dryRun: query.dry_run };
      return { body: toPolicyWriteDto(await archivePolicy(request, params.policy, ifMatch)) };
    },
  }),
});
