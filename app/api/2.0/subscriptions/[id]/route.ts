// GET, DELETE subscriptions/{id}. DELETE ends the deliveries; past events stay readable.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { deleteSubscription } from "@/lib/events/subscriptions/commands";
import { getSubscription } from "@/lib/events/subscriptions/queries";
import { subscriptionResponse, toSubscriptionDto } from "@/lib/events/subscriptions/schema";
import { route } from "@/lib/platform/http/route";

const params = { id: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "subscriptions.get",
    summary: "Get a subscription",
    scope: "apiv2",
    params,
    response: subscriptionResponse,
    status: 200,
    handle: async ({ access, params }) => ({ body: toSubscriptionDto(await getSubscription(access, params.id)) }),
  }),
  DELETE: endpoint({
    name: "subscriptions.delete",
    summary: "Delete a subscription",
    scope: "apiv2",
    params,
    status: 204,
    handle: async ({ access, origin, params }) => {
      await deleteSubscription({ access, origin }, params.id);
      return {};
    },
  }),
});
