// GET practices/{practice}/events/retriable: the IDs of matching events that can be retried.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { staffEventFilter } from "@/lib/events/published/schema";
import { findRetriable } from "@/lib/events/published/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.events.retriable",
    role: "admin",
    params: { practice: idParam },
    query: staffEventFilter,
    status: 200,
    readsMuch: true,
    handle: async ({ access, query }) => ({ body: await findRetriable(access, query) }),
  }),
});
