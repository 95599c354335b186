// GET practices/{practice}/events: the practice's published events, for all clients.
import { staffEventQuery } from "@/lib/events/schema";
import { searchEvents } from "@/lib/events/staff-queries";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.events.search",
    role: "viewer",
    params: { practice: idParam },
    query: staffEventQuery,
    status: 200,
    handle: async ({ access, query }) => ({ body: await searchEvents(access, query) }),
  }),
});
