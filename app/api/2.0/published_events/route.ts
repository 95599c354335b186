// GET published_events: only events addressed to the caller.

import { endpoint } from "@/lib/access/endpoints/endpoint";
import { EVENT_ORDERS, listEvents } from "@/lib/events/published/queries";
import { eventFilter, eventResponse, toEventDto } from "@/lib/events/published/schema";
import { pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "published_events.list",
    summary: "List the events published to you",
    scope: "apiv2",
    query: { ...pageQuery(Object.keys(EVENT_ORDERS)), ...eventFilter },
    response: pageSchema(eventResponse),
    status: 200,
    readsMuch: true,
    handle: async ({ access, query, url }) => {
      const page = toPageRequest(query, url);
      return { body: toPage(url, page, await listEvents(access, query, page), toEventDto) };
    },
  }),
});
