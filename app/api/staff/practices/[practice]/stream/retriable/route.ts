// GET practices/{practice}/stream/retriable: the IDs of matching events that can be retried.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { replicationFilter } from "@/lib/insurance/replication/schema";
import { findRetriableHeads } from "@/lib/insurance/replication/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.stream.retriable",
    role: "admin",
    params: { practice: idParam },
    query: replicationFilter,
    status: 200,
    readsMuch: true,
    handle: async ({ access, query }) => ({ body: await findRetriableHeads(access, query) }),
  }),
});
