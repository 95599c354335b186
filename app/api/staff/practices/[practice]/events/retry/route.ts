// POST practices/{practice}/events/retry: queues events for delivery, and returns an outcome for each.
import { retryChosenEvents } from "@/lib/events/commands/retry-chosen-events";
import { retryInput } from "@/lib/events/schema";
import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.events.retry",
    role: "staff",
    params: { practice: idParam },
    body: json(retryInput),
    status: 200,
    handle: async ({ access, origin, body }) => ({
      body: { results: await retryChosenEvents({ access, origin }, body.event_ids) },
    }),
  }),
});
