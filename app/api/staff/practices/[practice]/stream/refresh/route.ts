// GET practices/{practice}/stream/refresh: replication health, the current state of the listed events, and how many are newer.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { staffRefreshQuery } from "@/lib/events/published/schema";
import { replicationFilter } from "@/lib/insurance/replication/schema";
import { refreshReplication } from "@/lib/insurance/replication/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.stream.refresh",
    role: "admin",
    params: { practice: idParam },
    query: { ...replicationFilter, ...staffRefreshQuery },
    status: 200,
    readsMuch: true,
    handle: async ({ access, query }) => ({ body: await refreshReplication(access, query) }),
  }),
});
