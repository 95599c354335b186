// GET, DELETE subscriptions/{id}. DELETE ends the deliveries; past events stay readable.
import { deleteSubscription } from "@/lib/events/commands/write-subscription";
import { toSubscriptionDto } from "@/lib/events/dto";
import { getSubscription } from "@/lib/events/queries";
import { subscriptionAnswer } from "@/lib/events/schema";
import { endpoint, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";

const params = { id: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "subscriptions.get",
    summary: "Get a subscription",
    scope: "apiv2",
    params,
    response: subscriptionAnswer,
    status: 200,
    handle: async ({ access, params }) => ({ body: toSubscriptionDto(await getSubscription(access, params.id)) }),
  }),
  DELETE: endpoint({
    name: "subscriptions.delete",
    summary: "End a subscription",
    scope: "apiv2",
    params,
    status: 204,
    handle: async ({ access, origin, params }) => {
      await deleteSubscription({ access, origin }, params.id);
      return {};
    },
  }),
});
