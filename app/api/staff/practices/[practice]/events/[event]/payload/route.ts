// GET practices/{practice}/events/{event_id}/payload: the payload of the next attempt. Audits each patient it contains.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { previewPayload } from "@/lib/api/webhook-records/queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.events.payload",
    role: "admin",
    params: { practice: idParam, event: idParam },
    status: 200,
    handle: async ({ access, params }) => {
      const { payload, ...shown } = await previewPayload(access, params.event);
      return { body: { payload }, ...shown };
    },
  }),
});
