// GET practices/{practice}/migrations/readiness: how ready the practice is for the deadline.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { getReadiness } from "@/lib/migration/readiness/queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.migrations.readiness",
    role: "viewer",
    params: { practice: idParam },
    status: 200,
    readsMuch: true,
    handle: async ({ access, params }) => ({ body: await getReadiness(access, params.practice) }),
  }),
});
