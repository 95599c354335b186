// GET, PUT, PATCH published_events/{event_id}: the client reports how it processed an event (specification, Events 1).

import { type ClientCall, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { reportEvent } from "@/lib/events/published/commands";
import { getEvent } from "@/lib/events/published/queries";
import { type EventReport, eventPatch, eventReport, eventResponse, toEventDto } from "@/lib/events/published/schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

const params = { event_id: idParam };

async function report({ access, origin, params, body }: ClientCall<{ event_id: number }, object, EventReport>) {
  return { body: toEventDto(await reportEvent({ access, origin }, params.event_id, body)) };
}

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "published_events.get",
    summary: "Get a published event",
    scope: "apiv2",
    params,
    response: eventResponse,
    status: 200,
    handle: async ({ access, params }) => ({ body: toEventDto(await getEvent(access, params.event_id)) }),
  }),
  PUT: endpoint({
    name: "published_events.report",
    summary: "Report how an event was processed",
    description: "`processed_date` is required. `error_content` describes an error.",
    scope: "apiv2",
    params,
    body: json(eventReport),
    response: eventResponse,
    status: 200,
    handle: report,
  }),
  PATCH: endpoint({
    name: "published_events.update",
    summary: "Change fields of a report on an event",
    scope: "apiv2",
    params,
    body: json(eventPatch),
    response: eventResponse,
    status: 200,
    handle: report,
  }),
});
