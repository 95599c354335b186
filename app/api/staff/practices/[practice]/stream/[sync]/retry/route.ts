// POST practices/{practice}/stream/{event}/retry: retries an event and the events blocked by it.

import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { retryEvent } from "@/lib/sync/staff-commands";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.stream.retry",
    role: "staff",
    params: { practice: idParam, sync: idParam },
    status: 200,
    handle: async ({ access, origin, params }) => ({
      body: await retryEvent({ access, origin }, params.sync),
    }),
  }),
});
