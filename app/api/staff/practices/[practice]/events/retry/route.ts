// POST practices/{practice}/events/retry: queues events for delivery, and returns an outcome for each.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { retryChosenEvents } from "@/lib/events/published/commands";
import { retryInput } from "@/lib/events/published/schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.events.retry",
    role: "admin",
    params: { practice: idParam },
    body: json(retryInput),
    status: 200,
    handle: async ({ access, origin, body }) => ({
      body: { results: await retryChosenEvents({ access, origin }, body.event_ids) },
    }),
  }),
});
