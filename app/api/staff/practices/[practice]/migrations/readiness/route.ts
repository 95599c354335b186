// GET practices/{practice}/migrations/readiness: how ready the practice is for the deadline.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { getReadiness } from "@/lib/migration/readiness-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.migrations.readiness",
    role: "viewer",
    params: { practice: idParam },
    status: 200,
    handle: async ({ access, params }) => ({ body: await getReadiness(access, params.practice) }),
  }),
});
