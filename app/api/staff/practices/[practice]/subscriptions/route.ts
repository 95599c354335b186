// GET practices/{practice}/subscriptions: who receives the practice's events, and the state of delivery.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { listPracticeSubscriptions } from "@/lib/events/subscriptions/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.subscriptions.list",
    role: "admin",
    params: { practice: idParam },
    status: 200,
    handle: async ({ access }) => ({ body: { results: await listPracticeSubscriptions(access) } }),
  }),
});
