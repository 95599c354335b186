// GET practices/{practice}/home: what needs attention, with the legacy use by day and by client.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { readPracticeDetail } from "@/lib/practices/home-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.home.get",
    role: "viewer",
    params: { practice: idParam },
    status: 200,
    handle: async ({ access }) => ({ body: await readPracticeDetail(access) }),
  }),
});
