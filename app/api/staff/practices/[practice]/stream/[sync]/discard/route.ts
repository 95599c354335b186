// POST practices/{practice}/stream/{event}/discard: discards a failed event and reconciles the two stores without it.

import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { discardEvent } from "@/lib/sync/staff-commands";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.stream.discard",
    role: "admin",
    params: { practice: idParam, sync: idParam },
    status: 200,
    handle: async ({ access, origin, params }) => ({
      body: await discardEvent({ access, origin }, params.sync),
    }),
  }),
});
