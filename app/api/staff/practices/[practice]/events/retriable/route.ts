// GET practices/{practice}/events/retriable: the IDs of matching events that can be retried.
import { staffEventFilter } from "@/lib/events/schema";
import { findRetriable } from "@/lib/events/staff-queries";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.events.retriable",
    role: "staff",
    params: { practice: idParam },
    query: staffEventFilter,
    status: 200,
    handle: async ({ access, query }) => ({ body: await findRetriable(access, query) }),
  }),
});
