// GET, POST subscriptions. A second subscription to the same resource and target returns 409.

import { endpoint } from "@/lib/access/endpoints/endpoint";
import { createSubscription } from "@/lib/events/subscriptions/commands";
import { listSubscriptions, SUBSCRIPTION_ORDERS } from "@/lib/events/subscriptions/queries";
import {
  MAX_SUBSCRIPTION_BYTES,
  newSubscriptionResponse,
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
    description:
      "Returns 409 `already_subscribed` if you already subscribe to this resource with this target. The response contains the subscription's `signing_secret`, which no other response shows. If you repeat a request with its Idempotency-Key, you get 409 `idempotency_told_once`: find the subscription in the list, and create another secret with `POST subscriptions/{id}/signing_secret`.",
    scope: "apiv2",
    body: json(subscriptionInput, { limitBytes: MAX_SUBSCRIPTION_BYTES }),
    response: newSubscriptionResponse,
    oneTimeResponse: true,
    headers: ["Location"],
    status: 201,
    handle: async ({ access, origin, body, url }) => {
      const { signing_secret, ...subscription } = await createSubscription({ access, origin }, body);
      const location = new URL(`${canonicalPath(url)}/${subscription.id}/`, url).href;
      return { body: { ...toSubscriptionDto(subscription), signing_secret }, headers: { location } };
    },
  }),
});
