// POST subscriptions/{id}/replay: sends the events of a range of time again.

import { dryRunQuery, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { replayEvents } from "@/lib/events/published/replay-commands";
import { replayInput, replayResult } from "@/lib/events/published/schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "subscriptions.replay",
    summary: "Send past events again",
    description:
      "Sends the events again that were published for the subscription in a range of time and were delivered or have failed. They keep their `event_uuid`, and events of one record keep their order. Clears your reports about them. Returns 422 `too_many_events` for more than 10,000 events. Use `dry_run` to count them first.",
    scope: "apiv2",
    params: { id: idParam },
    query: dryRunQuery,
    body: json(replayInput),
    response: replayResult,
    errors: [422],
    status: 200,
    handle: async ({ access, origin, params, query, body }) => {
      const result = await replayEvents({
        access,
        origin,
        subscriptionId: params.id,
        range: body,
        dryRun: query.dry_run,
      });
      return { body: query.dry_run ? { effects: [], result } : result };
    },
  }),
});
