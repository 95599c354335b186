// POST practices/{practice}/stream/{event}/discard: discards a failed event and reconciles the two stores without it.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { discardEvent } from "@/lib/insurance/replication/staff-commands";
import { route } from "@/lib/platform/http/route";

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
