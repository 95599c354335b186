// GET practices/{practice}/subscriptions: who receives the practice's events, and the state of delivery.
import { listPracticeSubscriptions } from "@/lib/events/staff-queries";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.subscriptions.list",
    role: "viewer",
    params: { practice: idParam },
    status: 200,
    handle: async ({ access }) => ({ body: { results: await listPracticeSubscriptions(access) } }),
  }),
});
