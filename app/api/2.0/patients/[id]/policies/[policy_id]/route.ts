// GET, PUT, PATCH, DELETE patients/{id}/policies/{policy_id}. DELETE archives; with ?permanent=true it purges an archived policy.

import { type ClientCall, dryRunQuery, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { archivePolicy } from "@/lib/insurance/commands/archive-policy";
import { purgePolicy } from "@/lib/insurance/commands/purge-policy";
import { updatePolicy } from "@/lib/insurance/commands/update-policy";
import { type PolicyPatch, policyInput, policyPatch } from "@/lib/insurance/fields/policy-fields";
import { toPolicyDto } from "@/lib/insurance/policies/dto";
import { getPolicyJson } from "@/lib/insurance/policies/queries";
import { policyResponse } from "@/lib/insurance/policies/schema";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { json } from "@/lib/platform/http/body";
import { etagOf, matchesVersion } from "@/lib/platform/http/conditional";
import { flagQuery } from "@/lib/platform/http/query";
import { route } from "@/lib/platform/http/route";

const params = { id: idParam, policy_id: idParam };
type Params = { id: number; policy_id: number };

async function update(call: ClientCall<Params, { dry_run: boolean }, PolicyPatch>) {
  const { access, origin, params, query, body, ifMatch } = call;
  const request = { access, origin, patientId: params.id, dryRun: query.dry_run };
  const outcome = await updatePolicy(request, params.policy_id, body, ifMatch);
  const headers = { etag: etagOf(outcome.result.version) };
  return replyToWrite(outcome, query.dry_run, { body: toPolicyDto(outcome.result), headers });
}

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "policies.get",
    summary: "Get a policy",
    group: "Insurance",
    conditional: true,
    errors: [410],
    scope: "system/patients.read",
    params,
    response: policyResponse,
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params, header }) => {
      const { version, json: text } = await getPolicyJson(access, params.id, params.policy_id);
      const headers = { etag: etagOf(version) };
      if (matchesVersion(header("if-none-match"), version)) return { status: 304, headers };
      return { text, headers };
    },
  }),
  PUT: endpoint({
    name: "policies.replace",
    summary: "Update a policy in place",
    description:
      "Sets the fields you send. `null` clears a field; omitted optional fields stay unchanged. Archived policies can't be changed (409).",
    group: "Insurance",
    conditional: true,
    errors: [409, 410, 422],
    scope: "system/patients.write",
    source: "policies_api",
    params,
    query: dryRunQuery,
    body: json(policyInput),
    response: policyResponse,
    headers: ["ETag"],
    status: 200,
    handle: update,
  }),
  PATCH: endpoint({
    name: "policies.update",
    summary: "Change fields of a policy",
    group: "Insurance",
    conditional: true,
    errors: [409, 410, 422],
    scope: "system/patients.write",
    source: "policies_api",
    params,
    query: dryRunQuery,
    body: json(policyPatch),
    response: policyResponse,
    headers: ["ETag"],
    status: 200,
    handle: update,
  }),
  DELETE: endpoint({
    name: "policies.archive",
    summary: "Archive a policy, or permanently delete an archived one",
    description:
      "Archives the policy and keeps its history. With `permanent=true`, permanently deletes an archived policy with its versions and images; it then returns 410.",
    group: "Insurance",
    conditional: true,
    errors: [409, 410],
    scope: "system/patients.write",
    source: "policies_api",
    params,
    query: {
      ...dryRunQuery,
      permanent: flagQuery("Permanently delete an archived policy with its versions and images."),
    },
    response: policyResponse,
    status: 204,
    handle: async ({ access, origin, params, query, ifMatch }) => {
      const request = { access, origin, patientId: params.id, dryRun: query.dry_run };
      const command = query.permanent ? purgePolicy : archivePolicy;
      const outcome = await command(request, params.policy_id, ifMatch);
      const body = query.dry_run && outcome.result ? toPolicyDto(outcome.result) : undefined;
      return replyToWrite<unknown>(outcome, query.dry_run, { body });
    },
  }),
});
