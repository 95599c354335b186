// POST webhook_listeners: creates a listener, which fetches events during development.

import { endpoint } from "@/lib/access/endpoints/endpoint";
import { createListener } from "@/lib/events/listeners/commands";
import { listenerInput, newListenerResponse } from "@/lib/events/listeners/schema";
import { json } from "@/lib/platform/http/body";
import { canonicalPath } from "@/lib/platform/http/request";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "webhook_listeners.create",
    summary: "Create a listener",
    description:
      "For development on a machine that Crosswalk can't call: subscribes you to the resources for 8 hours, and keeps the events until you fetch them from the listener. `npx crosswalk listen` does this for you. Returns 409 `too_many_listeners` if you have 10.",
    scope: "apiv2",
    body: json(listenerInput),
    response: newListenerResponse,
    oneTimeResponse: true,
    headers: ["Location"],
    status: 201,
    handle: async ({ access, origin, body, url }) => {
      const listener = await createListener({ access, origin }, body);
      const location = new URL(`${canonicalPath(url)}/${listener.listener_id}/`, url).href;
      return { body: listener, headers: { location } };
    },
  }),
});
