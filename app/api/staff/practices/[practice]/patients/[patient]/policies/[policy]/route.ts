// GET, PUT, DELETE practices/{practice}/patients/{patient}/policies/{policy}. DELETE archives.
import { json } from "@/lib/http/body";
import { dryRunQuery, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { policyInput } from "@/lib/insurance/policy-fields";
import { archivePolicy } from "@/lib/policies/commands/archive-policy";
import { updatePolicy } from "@/lib/policies/commands/update-policy";
import { toPolicyViewDto, toPolicyWriteDto } from "@/lib/policies/dto";
import { viewPolicy } from "@/lib/policies/staff-queries";

const params = { practice: idParam, patient: idParam, policy: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.policies.get",
    role: "viewer",
    params,
    status: 200,
    handle: async ({ access, params }) => ({
      body: toPolicyViewDto(await viewPolicy(access, params.patient, params.policy)),
    }),
  }),
  PUT: staffEndpoint({
    name: "staff.policies.update",
    role: "staff",
    params,
    query: dryRunQuery,
    body: json(policyInput),
    status: 200,
    handle: async ({ access, origin, params, query, body, ifMatch }) => {
      const request = { access, origin, patientId: params.patient, dryRun: query.dry_run };
      return { body: toPolicyWriteDto(await updatePolicy(request, params.policy, body, ifMatch)) };
    },
  }),
  DELETE: staffEndpoint({
    name: "staff.policies.archive",
    role: "staff",
    params,
    query: dryRunQuery,
    status: 200,
    handle: async ({ access, origin, params, query, ifMatch }) => {
      const request = { access, origin, patientId: params.patient, dryRun: query.dry_run };
      return { body: toPolicyWriteDto(await archivePolicy(request, params.policy, ifMatch)) };
    },
  }),
});
