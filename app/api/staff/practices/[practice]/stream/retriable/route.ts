// GET practices/{practice}/stream/retriable: the IDs of matching events that can be retried.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { streamFilter } from "@/lib/sync/schema";
import { findRetriableHeads } from "@/lib/sync/staff-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.stream.retriable",
    role: "staff",
    params: { practice: idParam },
    query: streamFilter,
    status: 200,
    handle: async ({ access, query }) => ({ body: await findRetriableHeads(access, query) }),
  }),
});
