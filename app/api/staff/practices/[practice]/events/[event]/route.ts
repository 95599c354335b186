// GET, PUT practices/{practice}/events/{event_id}. PUT reports on behalf of the client.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { reportEventForClient } from "@/lib/events/published/commands";
import { eventReport } from "@/lib/events/published/schema";
import { getPracticeEvent } from "@/lib/events/published/staff-queries";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.events.get",
    role: "admin",
    params: { practice: idParam, event: idParam },
    status: 200,
    handle: async ({ access, params }) => ({ body: await getPracticeEvent(access, params.event) }),
  }),
  PUT: staffEndpoint({
    name: "staff.events.report",
    role: "admin",
    params: { practice: idParam, event: idParam },
    body: json(eventReport),
    status: 200,
    handle: async ({ access, origin, params, body }) => {
      await reportEventForClient({ access, origin }, params.event, body);
      return { body: await getPracticeEvent(access, params.event) };
    },
  }),
});
