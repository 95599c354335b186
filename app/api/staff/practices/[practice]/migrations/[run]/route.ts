// GET practices/{practice}/migrations/{run}: the state and totals of a run.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { getRunPage } from "@/lib/migration/work/page-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.migrations.get",
    role: "viewer",
    params: { practice: idParam, run: idParam },
    status: 200,
    handle: async ({ access, params }) => ({ body: await getRunPage(access, params.run) }),
  }),
});
