// GET, DELETE webhook_listeners/{listener_id}. GET returns the webhooks that wait, as a target would receive them.
import { z } from "zod";
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { readRecords } from "@/lib/api/webhook-records/queries";
import { deleteListener, readListener } from "@/lib/events/listeners/commands";
import { listenerResponse } from "@/lib/events/listeners/schema";
import { route } from "@/lib/platform/http/route";

const params = { listener_id: z.uuid() };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "webhook_listeners.get",
    summary: "Get the webhooks that wait for a listener",
    description:
      "Returns up to 20 webhooks, oldest first, signed now. Ask again every second. A webhook is returned until you report on its event with `PATCH published_events/{event_id}`.",
    scope: "apiv2",
    params,
    response: listenerResponse,
    status: 200,
    handle: async ({ access, params }) => ({ body: await readListener({ access }, params.listener_id, readRecords) }),
  }),
  DELETE: endpoint({
    name: "webhook_listeners.delete",
    summary: "Delete a listener",
    description: "Events that wait for the listener are canceled.",
    scope: "apiv2",
    params,
    status: 204,
    handle: async ({ access, origin, params }) => {
      await deleteListener({ access, origin }, params.listener_id);
      return {};
    },
  }),
});
