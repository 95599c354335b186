// GET practices/{practice}/insurers: suggests payers while the user types.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { searchQuery } from "@/lib/insurers/schema";
import { searchCompanies } from "@/lib/insurers/staff-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.insurers.search",
    role: "staff",
    params: { practice: idParam },
    query: searchQuery,
    status: 200,
    handle: async ({ access, query }) => ({ body: { results: await searchCompanies(access, query.search) } }),
  }),
});
