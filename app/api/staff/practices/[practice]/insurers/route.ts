// GET practices/{practice}/insurers: suggests payers while the user types.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { searchQuery } from "@/lib/insurance/payers/schema";
import { searchCompanies } from "@/lib/insurance/payers/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.insurers.search",
    role: "staff",
    params: { practice: idParam },
    query: searchQuery,
    status: 200,
    readsMuch: true,
    handle: async ({ access, query }) => ({ body: { results: await searchCompanies(access, query.search) } }),
  }),
});
