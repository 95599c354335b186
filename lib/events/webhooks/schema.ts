import { z } from "zod";
import { EventType } from "@/generated/rows/enums";

/** The data of a webhook whose record no longer exists. */
const goneRecord = z.strictObject({ id: z.int() }).meta({ title: "GoneRecord" });

/** The fields of a webhook's body besides the record. */
const payloadShape = {
  action: z.enum(EventType),
  event_id: z.int().describe("The ID of the event in `published_events/{event_id}`."),
  event_uuid: z.uuid().describe("The same in every attempt. Also sent as `webhook-id`."),
  application_id: z.string().describe("Your `client_id`."),
  resource: z.string(),
  resource_url: z.url(),
};

/** The body of a webhook of any resource. */
export type WebhookPayload = z.output<z.ZodObject<typeof payloadShape>> & { data: object };

/** Returns the schema of a webhook's body for one resource. `record` is the schema of its records in GET responses. */
export function webhookPayload(resource: string, record: z.ZodType): z.ZodType {
  const data = z
    .union([record, goneRecord])
    .describe(
      "The record as GET returns it to you when the webhook is sent. If the record no longer exists, only its ID.",
    );
  return z.strictObject({ data, ...payloadShape, resource: z.literal(resource) });
}

/** The body of a test event. It is about no record and is not stored. */
export const testPayload = z
  .strictObject({
    ...payloadShape,
    data: z.strictObject({}),
    action: z.literal("test"),
    event_id: z.null(),
    resource_url: z.null(),
  })
  .meta({ title: "TestWebhook" });

/** The outcome of sending a test event. */
export const testResult = z
  .strictObject({
    event_uuid: z.uuid().describe("The `webhook-id` that was sent."),
    status_code: z.int().nullable().describe("The status of your response. Null if there was none."),
    error: z.string().nullable().describe("What went wrong. Null if you responded with 2xx."),
    duration_ms: z.int(),
  })
  .meta({ title: "TestEventResult" });
export type TestResult = z.output<typeof testResult>;

/** The headers of a webhook: the ones of Standard Webhooks 1.0, and the number of the attempt. */
export const WEBHOOK_HEADERS = {
  "webhook-id": z.uuid().describe("The event's `event_uuid`, the same in every attempt. Use it to detect duplicates."),
  "webhook-timestamp": z
    .string()
    .regex(/^\d+$/)
    .describe("When this attempt was signed, in seconds since 1970-01-01 UTC."),
  "webhook-signature": z
    .string()
    .regex(/^v1a,/)
    .describe(
      "Signatures of `webhook-id`, `webhook-timestamp` and the body, joined by periods. Each is in base64, and they are separated by spaces. `v1a,` precedes an Ed25519 signature, which you verify with the subscription's `signing_pub_key`. `v1,` precedes an HMAC-SHA256, which you verify with its `signing_secret`. While a secret is being replaced, there is one for each valid secret.",
    ),
  "x-crosswalk-attempt": z
    .string()
    .regex(/^\d+$/)
    .describe("The number of the attempt: 1, 2, 3 …. It is not signed, so use it only for logging."),
} as const;
export type WebhookHeaders = Record<keyof typeof WEBHOOK_HEADERS, string>;
