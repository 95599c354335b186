// GET, POST subscriptions. A second subscription to the same resource and target returns 409.

import { endpoint } from "@/lib/access/endpoints/endpoint";
import { createSubscription } from "@/lib/events/subscriptions/commands";
import { listSubscriptions, SUBSCRIPTION_ORDERS } from "@/lib/events/subscriptions/queries";
import {
  MAX_SUBSCRIPTION_BYTES,
  subscriptionInput,
  subscriptionResponse,
  toSubscriptionDto,
} from "@/lib/events/subscriptions/schema";
import { json } from "@/lib/platform/http/body";
import { pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { canonicalPath } from "@/lib/platform/http/request";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "subscriptions.list",
    summary: "List your subscriptions",
    scope: "apiv2",
    query: pageQuery(Object.keys(SUBSCRIPTION_ORDERS)),
    response: pageSchema(subscriptionResponse),
    status: 200,
    handle: async ({ access, query, url }) => {
      const page = toPageRequest(query, url);
      return { body: toPage(url, page, await listSubscriptions(access, page), toSubscriptionDto) };
    },
  }),
  POST: endpoint({
    name: "subscriptions.create",
    summary: "Subscribe to a resource",
    description: "Returns 409 `already_subscribed` if you already subscribe to this resource with this target.",
    scope: "apiv2",
    body: json(subscriptionInput, { limitBytes: MAX_SUBSCRIPTION_BYTES }),
    response: subscriptionResponse,
    headers: ["Location"],
    status: 201,
    handle: async ({ access, origin, body, url }) => {
      const subscription = await createSubscription({ access, origin }, body);
      const location = new URL(`${canonicalPath(url)}/${subscription.id}/`, url).href;
      return { body: toSubscriptionDto(subscription), headers: { location } };
    },
  }),
});
