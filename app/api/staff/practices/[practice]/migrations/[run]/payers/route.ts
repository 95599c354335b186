// GET practices/{practice}/migrations/{run}/payers: suggests payers for a correction while the user types.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { searchQuery } from "@/lib/insurance/payers/schema";
import { searchRunPayers } from "@/lib/migration/check/payer-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.migrations.payers",
    role: "staff",
    params: { practice: idParam, run: idParam },
    query: searchQuery,
    status: 200,
    readsMuch: true,
    handle: async ({ access, params, query }) => ({
      body: { results: await searchRunPayers(access, params.run, query.search) },
    }),
  }),
});
