// GET practices/{practice}/audit/chain: verifies the hash chain over all entries of the practice.
import { checkChain } from "@/lib/access/audit/staff-queries";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.audit.check_chain",
    role: "admin",
    params: { practice: idParam },
    status: 200,
    handle: async ({ access, params }) => ({ body: await checkChain(access, params.practice) }),
  }),
});
