// GET, POST patients/{id}/policies. A new policy replaces the policy that holds its rank.

import { dryRunQuery, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { createPolicy } from "@/lib/insurance/commands/create-policy";
import { policyInput } from "@/lib/insurance/fields/policy-fields";
import { toPolicyDto } from "@/lib/insurance/policies/dto";
import { BY_POSITION, listPolicies } from "@/lib/insurance/policies/queries";
import { policyFilter, policyResponse } from "@/lib/insurance/policies/schema";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { json } from "@/lib/platform/http/body";
import { etagOf } from "@/lib/platform/http/conditional";
import { pageQuery, pageSchema, toPageRequest, toPageText } from "@/lib/platform/http/pagination";
import { route } from "@/lib/platform/http/route";

const params = { id: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "policies.list",
    summary: "List the policies of a patient",
    description: "Active policies by rank, then archived policies, newest first. With `as_of`, as of that time.",
    group: "Insurance",
    scope: "system/patients.read",
    params,
    query: { ...pageQuery(), ...policyFilter },
    response: pageSchema(policyResponse),
    status: 200,
    handle: async ({ access, params, query, url }) => {
      const page = toPageRequest({ ...query, order_by: query.order_by ?? BY_POSITION }, url);
      const slice = await listPolicies(access, params.id, query, page);
      return { text: toPageText(url, page, slice) };
    },
  }),
  POST: endpoint({
    name: "policies.create",
    summary: "Create a policy",
    description:
      "`patient_first_name`, `patient_last_name` and `patient_dob` must match the patient (422 `patient_mismatch`). The policy that holds the rank is archived.",
    group: "Insurance",
    errors: [409, 410, 422],
    scope: "system/patients.write",
    source: "policies_api",
    params,
    query: dryRunQuery,
    body: json(policyInput),
    response: policyResponse,
    headers: ["Location", "ETag"],
    status: 201,
    handle: async ({ access, origin, params, query, body, url }) => {
      const outcome = await createPolicy({ access, origin, patientId: params.id, dryRun: query.dry_run }, body);
      const { id, version } = outcome.result;
      const location = new URL(`/api/2.0/patients/${params.id}/policies/${id}`, url).href;
      const headers = { location, etag: etagOf(version) };
      return replyToWrite(outcome, query.dry_run, { body: toPolicyDto(outcome.result), headers });
    },
  }),
});
