// GET, PUT practices/{practice}/events/{event_id}. PUT reports on behalf of the client.
import { reportEventForClient } from "@/lib/events/commands/report-event";
import { eventReport } from "@/lib/events/schema";
import { getPracticeEvent } from "@/lib/events/staff-queries";
import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.events.get",
    role: "viewer",
    params: { practice: idParam, event: idParam },
    status: 200,
    handle: async ({ access, params }) => ({ body: await getPracticeEvent(access, params.event) }),
  }),
  PUT: staffEndpoint({
    name: "staff.events.report",
    role: "staff",
    params: { practice: idParam, event: idParam },
    body: json(eventReport),
    status: 200,
    handle: async ({ access, origin, params, body }) => {
      await reportEventForClient({ access, origin }, params.event, body);
      return { body: await getPracticeEvent(access, params.event) };
    },
  }),
});
