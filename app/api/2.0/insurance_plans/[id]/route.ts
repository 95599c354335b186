// GET, PUT, PATCH, DELETE insurance_plans/{id}. Policies keep referring to a deleted plan.

import { type ClientCall, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { deletePlan, updatePlan } from "@/lib/insurance/payers/commands/write-plan";
import { toPlanDetailDto } from "@/lib/insurance/payers/dto";
import { getPlan } from "@/lib/insurance/payers/queries";
import { type PlanPatch, planDetailResponse, planInput, planPatch } from "@/lib/insurance/payers/schema";
import { json } from "@/lib/platform/http/body";
import { etagOf } from "@/lib/platform/http/conditional";
import { route } from "@/lib/platform/http/route";

const params = { id: idParam };

async function update({ access, params, ifMatch, origin, body }: ClientCall<{ id: number }, object, PlanPatch>) {
  const plan = await updatePlan({ access, id: params.id, ifMatch, origin }, body);
  return { body: toPlanDetailDto(plan), patients: plan.patients, headers: { etag: etagOf(plan.version) } };
}

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "insurance_plans.get",
    summary: "Get an insurance plan with its insured patients",
    scope: "system/insurance_plans.read",
    params,
    response: planDetailResponse,
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params }) => {
      const plan = await getPlan(access, params.id);
      return { body: toPlanDetailDto(plan), patients: plan.patients, headers: { etag: etagOf(plan.version) } };
    },
  }),
  PUT: endpoint({
    name: "insurance_plans.replace",
    summary: "Update an insurance plan",
    conditional: true,
    scope: "system/insurance_plans.write",
    params,
    body: json(planInput),
    response: planDetailResponse,
    headers: ["ETag"],
    status: 200,
    handle: update,
  }),
  PATCH: endpoint({
    name: "insurance_plans.update",
    summary: "Change fields of an insurance plan",
    conditional: true,
    scope: "system/insurance_plans.write",
    params,
    body: json(planPatch),
    response: planDetailResponse,
    headers: ["ETag"],
    status: 200,
    handle: update,
  }),
  DELETE: endpoint({
    name: "insurance_plans.delete",
    summary: "Delete an insurance plan",
    conditional: true,
    scope: "system/insurance_plans.write",
    params,
    status: 204,
    handle: async ({ access, params, ifMatch, origin }) => {
      await deletePlan({ access, id: params.id, ifMatch, origin });
      return {};
    },
  }),
});
