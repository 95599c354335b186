// GET practices/{id}/eligibility_usage: defaults to the current month to date. Both dates are inclusive, in UTC.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { usageResponse } from "@/lib/api/practices/schema";
import { toUsageDto } from "@/lib/insurance/eligibility/dto";
import { countChecks } from "@/lib/insurance/eligibility/queries";
import { clock } from "@/lib/platform/clock";
import { route } from "@/lib/platform/http/route";
import { getPractice } from "@/lib/practice/practices/queries";
import { reportPeriod } from "@/lib/practice/practices/rules";
import { usageQuery } from "@/lib/practice/practices/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "practices.eligibility_usage",
    summary: "Get the number of eligibility checks",
    scope: "system/practices.read",
    params: { id: idParam },
    query: usageQuery,
    response: usageResponse,
    status: 200,
    handle: async ({ access, params, query }) => {
      await getPractice(access, params.id);
      const period = reportPeriod(query, clock.now());
      return { body: toUsageDto(await countChecks(access, params.id, period), period) };
    },
  }),
});
