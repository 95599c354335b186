// GET practices/{practice}/insurers/{company}/plans: suggests plans of a payer while the user types.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { searchQuery } from "@/lib/insurers/schema";
import { searchPlans } from "@/lib/insurers/staff-queries";

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
