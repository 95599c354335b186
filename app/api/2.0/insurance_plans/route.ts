// GET, POST insurance_plans. The insurance company must belong to the same practice.

import { endpoint } from "@/lib/access/endpoints/endpoint";
import { createPlan } from "@/lib/insurance/payers/commands/write-plan";
import { toPlanDto } from "@/lib/insurance/payers/dto";
import { listPlans, PLAN_ORDERS } from "@/lib/insurance/payers/queries";
import { planInput, planResponse } from "@/lib/insurance/payers/schema";
import { json } from "@/lib/platform/http/body";
import { etagOf } from "@/lib/platform/http/conditional";
import { integerParam, pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { repeatable } from "@/lib/platform/http/query";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "insurance_plans.list",
    summary: "List insurance plans",
    scope: "system/insurance_plans.read",
    query: {
      ...pageQuery(Object.keys(PLAN_ORDERS)),
      insurance_company: repeatable(integerParam).optional(),
      practice: repeatable(integerParam).optional(),
    },
    response: pageSchema(planResponse),
    status: 200,
    readsMuch: true,
    handle: async ({ access, query, url }) => {
      const page = toPageRequest(query, url);
      return { body: toPage(url, page, await listPlans(access, query, page), toPlanDto) };
    },
  }),
  POST: endpoint({
    name: "insurance_plans.create",
    summary: "Create an insurance plan",
    scope: "system/insurance_plans.write",
    body: json(planInput),
    response: planResponse,
    headers: ["Location", "ETag"],
    status: 201,
    handle: async ({ access, origin, body, url }) => {
      const plan = await createPlan({ access, origin }, body);
      const location = new URL(`/api/2.0/insurance_plans/${plan.id}/`, url).href;
      return { body: toPlanDto(plan), headers: { location, etag: etagOf(plan.version) } };
    },
  }),
});
