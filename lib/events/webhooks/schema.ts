import { z } from "zod";
import { EventType } from "@/generated/rows/enums";

/** What a webhook tells of a record that is gone. */
const goneRecord = z.strictObject({ id: z.int() }).meta({ title: "GoneRecord" });

/** The body of a webhook beside the record (design §8). */
const payloadShape = {
  action: z.enum(EventType),
  event_id: z.int().describe("What `published_events/{event_id}` is addressed by."),
  event_uuid: z.uuid().describe("The same in every attempt, as `webhook-id`."),
  application_id: z.string().describe("Your `client_id`."),
  resource: z.string(),
  resource_url: z.url(),
};

/** The body of a webhook of any resource. */
export type WebhookPayload = z.output<z.ZodObject<typeof payloadShape>> & { data: object };

/** The body of a webhook of one resource, as it is sent. `record`: the form its records have where GET answers them. */
export function webhookPayload(resource: string, record: z.ZodType): z.ZodType {
  const data = z
    .union([record, goneRecord])
    .describe("The record as GET answers you at the moment of sending; of one that is gone by then, its id alone.");
  return z.strictObject({ data, ...payloadShape, resource: z.literal(resource) });
}

/** The headers of a webhook: those of Standard Webhooks 1.0, and the number of the attempt. */
export const WEBHOOK_HEADERS = {
  "webhook-id": z.uuid().describe("The event's `event_uuid`: the same in every attempt. What a double is known by."),
  "webhook-timestamp": z.string().regex(/^\d+$/).describe("When this attempt was signed, in seconds since 1970."),
  "webhook-signature": z
    .string()
    .regex(/^v1a,/)
    .describe(
      "`v1a,` and the Ed25519 signature in base64 over `webhook-id`, `webhook-timestamp` and the body, with full stops between; `signing_pub_key` of the subscription verifies it. There may be several, with a space between.",
    ),
  "x-crosswalk-attempt": z.string().regex(/^\d+$/).describe("1, 2, 3 …; not signed, for your log only."),
} as const;
export type WebhookHeaders = Record<keyof typeof WEBHOOK_HEADERS, string>;
