// GET practices/{practice}/stream: replication health and events.

import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { streamQuery } from "@/lib/sync/schema";
import { searchStream } from "@/lib/sync/staff-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.stream.search",
    role: "viewer",
    params: { practice: idParam },
    query: streamQuery,
    status: 200,
    handle: async ({ access, query }) => ({ body: await searchStream(access, query) }),
  }),
});
