// GET practices/{practice}/events/refresh: the current state of the listed events, and how many are newer.
import { staffEventFilter, staffRefreshQuery } from "@/lib/events/schema";
import { refreshEvents } from "@/lib/events/staff-queries";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.events.refresh",
    role: "viewer",
    params: { practice: idParam },
    query: { ...staffEventFilter, ...staffRefreshQuery },
    status: 200,
    handle: async ({ access, query }) => ({ body: await refreshEvents(access, query) }),
  }),
});
