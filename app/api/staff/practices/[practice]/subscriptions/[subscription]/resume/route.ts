// POST practices/{practice}/subscriptions/{subscription}/resume: resumes delivery to a paused subscription.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { resumeForPractice } from "@/lib/events/subscriptions/commands";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.subscriptions.resume",
    role: "admin",
    params: { practice: idParam, subscription: idParam },
    status: 204,
    handle: async ({ access, origin, params }) => {
      await resumeForPractice({ access, origin }, params.subscription);
      return {};
    },
  }),
});
