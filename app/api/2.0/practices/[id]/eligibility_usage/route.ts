// GET practices/{id}/eligibility_usage: defaults to the current month to date. Both dates are inclusive.
import { clock } from "@/lib/clock";
import { endpoint, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { toUsageDto } from "@/lib/practices/dto";
import { getPractice } from "@/lib/practices/queries";
import { reportPeriod } from "@/lib/practices/rules";
import { usageAnswer, usageQuery } from "@/lib/practices/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "practices.eligibility_usage",
    summary: "Get how often eligibility was checked",
    scope: "system/practices.read",
    params: { id: idParam },
    query: usageQuery,
    response: usageAnswer,
    status: 200,
    handle: async ({ access, params, query }) => {
      await getPractice(access, params.id);
      return { body: toUsageDto(reportPeriod(query, clock.now())) };
    },
  }),
});
