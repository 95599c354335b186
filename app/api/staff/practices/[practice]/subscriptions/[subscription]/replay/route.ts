// POST practices/{practice}/subscriptions/{subscription}/replay: sends the practice's events of a range of time again.

import { dryRunQuery, idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { replayForPractice } from "@/lib/events/published/replay-commands";
import { replayInput } from "@/lib/events/published/schema";
import { subscriptionIsVisible } from "@/lib/events/subscriptions/staff-queries";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.subscriptions.replay",
    role: "admin",
    params: { practice: idParam, subscription: idParam },
    query: dryRunQuery,
    body: json(replayInput),
    status: 200,
    handle: async ({ access, origin, params, query, body }) => {
      const request = { access, origin, subscriptionId: params.subscription, range: body, dryRun: query.dry_run };
      const result = await replayForPractice(request, subscriptionIsVisible(access));
      return { body: query.dry_run ? { effects: [], result } : result };
    },
  }),
});
