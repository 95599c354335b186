// GET practices/{practice}/stream: replication health and events.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { replicationQuery } from "@/lib/insurance/replication/schema";
import { searchReplication } from "@/lib/insurance/replication/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.stream.search",
    role: "admin",
    params: { practice: idParam },
    query: replicationQuery,
    status: 200,
    readsMuch: true,
    handle: async ({ access, query }) => ({ body: await searchReplication(access, query) }),
  }),
});
