// GET practices/{practice}/stream/refresh: replication health, the current state of the listed events, and how many are newer.
import { staffRefreshQuery } from "@/lib/events/schema";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { streamFilter } from "@/lib/sync/schema";
import { refreshStream } from "@/lib/sync/staff-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.stream.refresh",
    role: "viewer",
    params: { practice: idParam },
    query: { ...streamFilter, ...staffRefreshQuery },
    status: 200,
    handle: async ({ access, query }) => ({ body: await refreshStream(access, query) }),
  }),
});
