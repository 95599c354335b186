// POST practices/{practice}/subscriptions/{subscription}/test: sends a test event to the target now, and returns the outcome.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { sendTestEventForPractice } from "@/lib/events/delivery/test-commands";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.subscriptions.test",
    role: "admin",
    params: { practice: idParam, subscription: idParam },
    status: 200,
    handle: async ({ access, origin, params }) => ({
      body: await sendTestEventForPractice({ access, origin }, params.subscription),
    }),
  }),
});
