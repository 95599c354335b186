// POST subscriptions/{id}/test: sends a test event to the target now, and returns the outcome.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { sendTestEvent } from "@/lib/events/delivery/test-commands";
import { testResult } from "@/lib/events/webhooks/schema";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "subscriptions.test",
    summary: "Send a test event",
    description:
      "Sends one signed webhook to the target now, and returns how it went. Its `action` is `test`, `data` is empty, and `event_id` and `resource_url` are null. It is not stored as a published event and not retried. There is a limit of 10 test events per minute and subscription (429).",
    scope: "apiv2",
    params: { id: idParam },
    response: testResult,
    errors: [409],
    status: 200,
    handle: async ({ access, origin, params }) => ({ body: await sendTestEvent({ access, origin }, params.id) }),
  }),
});
