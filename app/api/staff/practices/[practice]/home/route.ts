// GET practices/{practice}/home: what needs attention, with the legacy use by day and by client, and the readiness.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { readPracticeDetail } from "@/lib/api/home/queries";
import { measureReadiness } from "@/lib/migration/readiness/queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.home.get",
    role: "admin",
    params: { practice: idParam },
    status: 200,
    readsMuch: true,
    handle: async ({ access, params }) => ({
      body: { ...(await readPracticeDetail(access)), readiness: await measureReadiness(params.practice) },
    }),
  }),
});
