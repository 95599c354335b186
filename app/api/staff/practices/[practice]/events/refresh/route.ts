// GET practices/{practice}/events/refresh: the current state of the listed events, and how many are newer.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { staffEventFilter, staffRefreshQuery } from "@/lib/events/published/schema";
import { refreshEvents } from "@/lib/events/published/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.events.refresh",
    role: "admin",
    params: { practice: idParam },
    query: { ...staffEventFilter, ...staffRefreshQuery },
    status: 200,
    readsMuch: true,
    handle: async ({ access, query }) => ({ body: await refreshEvents(access, query) }),
  }),
});
