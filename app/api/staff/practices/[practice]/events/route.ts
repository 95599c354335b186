// GET practices/{practice}/events: the practice's published events, for all clients.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { staffEventQuery } from "@/lib/events/published/schema";
import { searchEvents } from "@/lib/events/published/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.events.search",
    role: "admin",
    params: { practice: idParam },
    query: staffEventQuery,
    status: 200,
    readsMuch: true,
    handle: async ({ access, query }) => ({ body: await searchEvents(access, query) }),
  }),
});
