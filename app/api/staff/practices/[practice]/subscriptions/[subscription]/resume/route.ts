// POST practices/{practice}/subscriptions/{subscription}/resume: resumes delivery to a paused subscription.
import { resumeForPractice } from "@/lib/events/commands/pause-subscription";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";

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
