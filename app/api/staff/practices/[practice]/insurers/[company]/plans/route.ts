// GET practices/{practice}/insurers/{company}/plans: suggests plans of a payer while the user types.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { searchQuery } from "@/lib/insurance/payers/schema";
import { searchPlans } from "@/lib/insurance/payers/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.insurers.plans",
    role: "staff",
    params: { practice: idParam, company: idParam },
    query: searchQuery,
    status: 200,
    handle: async ({ access, params, query }) => ({
      body: { results: await searchPlans(access, params.company, query.search) },
    }),
  }),
});
