// POST practices/{practice}/stream/{event}/retry: retries an event and the events blocked by it.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { retryEvent } from "@/lib/insurance/replication/staff-commands";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.stream.retry",
    role: "admin",
    params: { practice: idParam, sync: idParam },
    status: 200,
    handle: async ({ access, origin, params }) => ({
      body: await retryEvent({ access, origin }, params.sync),
    }),
  }),
});
