// GET practices/{practice}/events/{event_id}/payload: the payload of the next attempt. Audits each patient it contains.
import { previewPayload } from "@/lib/events/record-queries";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.events.payload",
    role: "viewer",
    params: { practice: idParam, event: idParam },
    status: 200,
    handle: async ({ access, params }) => {
      const { payload, ...shown } = await previewPayload(access, params.event);
      return { body: { payload }, ...shown };
    },
  }),
});
