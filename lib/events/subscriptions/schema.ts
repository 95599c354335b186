import { z } from "zod";
import { SCOPE_RESOURCES, SCOPE_TABLE } from "@/lib/access/identity/scopes";
import type { Row } from "@/lib/platform/db/rows";

const MAX_PROPERTIES_CHARACTERS = 10_000;

/** The maximum size of the body of a new subscription. */
export const MAX_SUBSCRIPTION_BYTES = 1024 * 1024;

const REFERENCE_DATA: readonly string[] = SCOPE_TABLE["Reference data"].resources;

/** The resources whose changes are published. Reference data is shared by all practices, and a `ccda` is generated on request. */
export const RESOURCES_WITH_EVENTS = SCOPE_RESOURCES.filter(
  (name) => name !== "ccda" && !REFERENCE_DATA.includes(name),
);

/** Body of POST `subscriptions`. The settings decide which targets are allowed. */
export const subscriptionInput = z
  .object({
    // Clients of the contract also subscribe to resources without events. The API description lists those that have some.
    resource: z.enum(SCOPE_RESOURCES).meta({ enum: RESOURCES_WITH_EVENTS }),
    target: z.string().min(1),
    // Any JSON. The body reader limits its depth and rejects text that can't be stored.
    properties: z
      .unknown()
      .refine((value) => JSON.stringify(value).length <= MAX_PROPERTIES_CHARACTERS, {
        error: `Must have at most ${MAX_PROPERTIES_CHARACTERS} characters as JSON.`,
      })
      .optional(),
  })
  .meta({ title: "SubscriptionInput" });
export type SubscriptionInput = z.output<typeof subscriptionInput>;

const subscriptionShape = {
  id: z.int(),
  resource: z.string(),
  target: z.string(),
  properties: z.unknown(),
  signing_pub_key: z.string(),
  created_date: z.iso.datetime(),
  deleted_date: z.iso.datetime().nullable(),
};

const signingSecret = z
  .string()
  .describe("Verifies symmetric signatures (`v1`). Only this response contains it, so store it now.");

/** A subscription in responses, which never contain the private key or a secret. */
export const subscriptionResponse = z.strictObject(subscriptionShape).meta({ title: "Subscription" });

/** A new subscription with its secret. */
export const newSubscriptionResponse = z
  .strictObject({ ...subscriptionShape, signing_secret: signingSecret })
  .meta({ title: "NewSubscription" });

/** A secret can keep signing for this many hours after it is replaced. */
const MAX_KEEP_HOURS = 24 * 7;

/** Body of POST `subscriptions/{id}/signing_secret`. */
export const secretRotationInput = z
  .object({
    keep_hours: z
      .int()
      .min(0)
      .max(MAX_KEEP_HOURS)
      .default(24)
      .describe("How long the previous secrets keep signing, in hours. With 0, they stop now."),
  })
  .meta({ title: "SigningSecretInput" });

/** The result of a rotation. */
export const newSecretResponse = z
  .strictObject({
    id: z.int().describe("The ID of the subscription."),
    signing_secret: signingSecret,
    old_secrets_end: z.iso
      .datetime()
      .nullable()
      .describe("When the previous secret stops signing. Null if there is none, or if it stopped now."),
  })
  .meta({ title: "SigningSecret" });
export type NewSigningSecret = z.output<typeof newSecretResponse>;

/** The columns of a subscription that its client sees. */
export const SUBSCRIPTION_COLUMNS = [
  "id",
  "resource",
  "target",
  "properties",
  "signing_pub_key",
  "created_date",
  "deleted_date",
] as const satisfies readonly (keyof Row<"subscription">)[];
export type SubscriptionRow = Row<"subscription", (typeof SUBSCRIPTION_COLUMNS)[number]>;

/** A new subscription, in the only result that contains its secret. */
export type NewSubscription = SubscriptionRow & { signing_secret: string };

/** Returns a subscription as its client sees it. */
export function toSubscriptionDto(row: SubscriptionRow): z.output<typeof subscriptionResponse> {
  const { id, resource, target, properties, signing_pub_key, created_date, deleted_date } = row;
  return { id, resource, target, properties, signing_pub_key, created_date, deleted_date };
}
