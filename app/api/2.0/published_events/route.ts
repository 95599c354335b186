// GET published_events: only events addressed to the caller.

import { toEventDto } from "@/lib/events/dto";
import { EVENT_ORDERS, listEvents } from "@/lib/events/queries";
import { eventAnswer, eventFilter } from "@/lib/events/schema";
import { endpoint } from "@/lib/http/endpoint";
import { pageOf, pageQuery, toPage, toPageRequest } from "@/lib/http/pagination";
import { route } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "published_events.list",
    summary: "List the events published to you",
    scope: "apiv2",
    query: { ...pageQuery(Object.keys(EVENT_ORDERS)), ...eventFilter },
    response: pageOf(eventAnswer),
    status: 200,
    handle: async ({ access, query, url }) => {
      const page = toPageRequest(query, url);
      return { body: toPage(url, page, await listEvents(access, query, page), toEventDto) };
    },
  }),
});
