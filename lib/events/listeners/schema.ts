import { z } from "zod";
import { subscriptionInput } from "@/lib/events/subscriptions/schema";
import { WEBHOOK_HEADERS } from "@/lib/events/webhooks/schema";

/** A subscription is created for each resource. */
const MAX_RESOURCES = 20;

/** Body of POST `webhook_listeners`. */
export const listenerInput = z
  .object({
    resources: z
      .array(subscriptionInput.shape.resource)
      .min(1)
      .max(MAX_RESOURCES)
      .describe("The resources whose events you want to receive."),
  })
  .meta({ title: "WebhookListenerInput" });
export type ListenerInput = z.output<typeof listenerInput>;

const expires_date = z.iso.datetime().describe("When the listener ends, unless you delete it earlier.");

/** A new listener with its secret. */
export const newListenerResponse = z
  .strictObject({
    listener_id: z.uuid(),
    resources: z.array(z.string()),
    signing_secret: z.string().describe("Verifies the symmetric signatures (`v1`). Only this response contains it."),
    expires_date,
  })
  .meta({ title: "NewWebhookListener" });
export type NewListener = z.output<typeof newListenerResponse>;

/** A webhook as a target would receive it. */
const waitingWebhook = z
  .strictObject({
    event_id: z.int().describe("Report how you processed it to `published_events/{event_id}`."),
    headers: z.strictObject(WEBHOOK_HEADERS),
    body: z.string().describe("The signed text. Forward it unchanged."),
  })
  .meta({ title: "WaitingWebhook" });
export type WaitingWebhook = z.output<typeof waitingWebhook>;

/** The webhooks that wait for a listener. */
export const listenerResponse = z
  .strictObject({ listener_id: z.uuid(), expires_date, webhooks: z.array(waitingWebhook) })
  .meta({ title: "WebhookListener" });
export type Listener = z.output<typeof listenerResponse>;
