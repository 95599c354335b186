import { getStaffClient, type StaffClient } from "@/lib/access/clients/staff-queries";
import { appendRecordVersion } from "@/lib/access/history/commands";
import { type Access, type ClientAccess, changedFields, type Origin } from "@/lib/access/identity/access";
import { lockDelivery, wakeDelivery } from "@/lib/events/published/due-events";
import { giveUpDate } from "@/lib/events/published/publish-events";
import { normalizeTarget, targetProblem } from "@/lib/events/webhooks/addresses";
import { createSigningKeys, createSigningSecret, signingKeyContext } from "@/lib/events/webhooks/signing";
import type { StoredSecret } from "@/lib/events/webhooks/signing-keys";
import { isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { databaseNow } from "@/lib/platform/db/due-time";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Sql, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { ConflictError, NotFoundError, ValidationError } from "@/lib/platform/errors";
import { getSubscription } from "./queries";
import type { NewSubscription, SubscriptionInput } from "./schema";
import { subscriptionIsVisible } from "./staff-queries";

/** A request of an API client about its subscriptions. */
export interface ClientRequest {
  access: ClientAccess;
  origin: Origin;
}

/**
 * Subscribes the caller to a resource: to events for saved and deleted records. Each subscription has its own signing key
 * pair, and a secret that only this result contains.
 *
 * @throws ValidationError if webhooks can't be sent to the target
 * @throws ConflictError already_subscribed, if the caller has a subscription to this resource with the same normalized target
 */
export async function createSubscription(
  request: ClientRequest,
  { target: sent, ...input }: SubscriptionInput,
): Promise<NewSubscription> {
  const problem = targetProblem(sent, { allowPrivate: config().WEBHOOK_ALLOW_PRIVATE });
  if (problem) throw new ValidationError({ target: [problem] });
  const target = normalizeTarget(sent);
  return transaction((tx) => insertSubscription(tx, request, { ...input, target }));
}

/** What only the subscription of a listener has. */
interface Listening {
  /** ISO 8601. */
  until: string;
  /** The bytes of the secret that all subscriptions of the listener share. */
  secret: Buffer;
}

/**
 * Inserts a subscription without checking its target.
 *
 * @throws ConflictError already_subscribed
 */
export async function insertSubscription(
  tx: Tx,
  { access, origin }: ClientRequest,
  { resource, target, properties = null, listening }: SubscriptionInput & { listening?: Listening },
): Promise<NewSubscription> {
  const { SECRET_KEY } = config();
  const { clientId } = access;
  const context = signingKeyContext({ clientId, resource, target });
  const keys = createSigningKeys(context, SECRET_KEY);
  const { secret, sealedSecret } = createSigningSecret(context, SECRET_KEY, listening?.secret);
  const now = isoNow();
  const stored: StoredSecret = { sealed: sealedSecret.toString("base64"), created_date: now, expires_date: null };
  const inserted = await tx.first(
    kysely
      .insertInto("subscription")
      .values({
        client_id: clientId,
        resource,
        target,
        target_origin: new URL(target).origin,
        properties: JSON.stringify(properties),
        signing_pub_key: keys.publicKey,
        signing_private_key: keys.sealedPrivateKey,
        signing_secrets: JSON.stringify([stored]),
        listen_until: listening?.until ?? null,
        created_date: now,
        modified_date: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id"),
  );
  if (!inserted) {
    throw new ConflictError("already_subscribed", `You already have a subscription to ${resource} with this target.`);
  }
  const changes = changedFields(null, {
    resource,
    target,
    properties,
    signing_pub_key: keys.publicKey,
    signing_secret_date: now,
  });
  const entry = { id: inserted.id, version: 1, kind: "created" as const, changes, occurredDate: now };
  await appendRecordVersion(tx, { type: "subscription", practiceId: null, origin, ...entry });
  return { ...(await getSubscription(access, inserted.id, tx)), signing_secret: secret };
}

/**
 * Deletes a subscription: cancels its pending deliveries and publishes no more events for it. Existing events stay readable.
 *
 * @throws NotFoundError
 */
export async function deleteSubscription({ access, origin }: ClientRequest, id: number): Promise<void> {
  const ended = await endSubscriptions(origin, sql`s.id = ${id} AND s.client_id = ${access.clientId}`);
  if (ended === 0) throw new NotFoundError("subscription");
}

/**
 * Deletes subscriptions as `deleteSubscription`, and returns their number.
 *
 * @param which a condition on a subscription `s`
 */
export async function endSubscriptions(origin: Origin, which: Sql): Promise<number> {
  return transaction(async (tx) => {
    lockDelivery(tx);
    const now = isoNow();
    const ended = await tx.rows<Row<"subscription", "id" | "version">>(sql`
      UPDATE subscription s SET deleted_date = ${now}, modified_date = ${now}, version = s.version + 1
      WHERE s.deleted_date IS NULL AND ${which} RETURNING s.id, s.version`);
    await tx.run(
      kysely
        .updateTable("published_event")
        .set({ delivery: "canceled", modified_date: now })
        .where("subscription_id", "=", anyOf(ended.map(({ id }) => id)))
        .where("delivery", "=", "pending"),
    );
    const changes = { deleted_date: { old: null, new: now } };
    for (const subscription of ended) {
      const entry = { ...subscription, kind: "deleted" as const, changes, occurredDate: now };
      await appendRecordVersion(tx, { type: "subscription", practiceId: null, origin, ...entry });
    }
    return ended.length;
  });
}

/** Pauses a subscription: its events, including new ones, stay pending until it is resumed. */
export async function pauseSubscription(tx: Tx, id: number, origin: Origin): Promise<void> {
  const now = isoNow();
  const paused = await tx.first(
    kysely
      .updateTable("subscription")
      .set((row) => ({ paused_date: now, modified_date: now, version: row("version", "+", 1) }))
      .where("id", "=", id)
      .where("paused_date", "is", null)
      .where("deleted_date", "is", null)
      .returning("version"),
  );
  if (!paused) return;
  const changes = { paused_date: { old: null, new: now } };
  const entry = { id, version: paused.version, kind: "updated" as const, changes, occurredDate: now };
  await appendRecordVersion(tx, { type: "subscription", practiceId: null, origin, ...entry });
}

/**
 * Resumes a paused subscription. Pending events are due immediately, and are retried for another 72 hours.
 *
 * @param access must include all practices that the subscription's client can access; `every practice` is for command-line
 *   programs
 * @throws NotFoundError if there is no paused subscription with this ID
 * @throws ConflictError belongs_elsewhere, if its client can access other practices too
 */
export async function resumeSubscription(
  id: number,
  origin: Origin,
  access: Access | "every practice" = "every practice",
): Promise<void> {
  const visible = access === "every practice" ? sql`TRUE` : subscriptionIsVisible(access);
  await transaction(async (tx) => {
    lockDelivery(tx);
    const now = isoNow();
    // SQL, to return the date from before the update.
    const resumed = await tx.first<Row<"subscription", "client_id" | "version" | "paused_date">>(sql`
      UPDATE subscription s SET paused_date = NULL, failing_since = NULL, modified_date = ${now}, version = s.version + 1
      FROM subscription before
      WHERE s.id = ${id} AND before.id = s.id AND s.paused_date IS NOT NULL AND s.deleted_date IS NULL
        AND ${visible}
      RETURNING s.client_id, s.version, before.paused_date`);
    if (!resumed) throw new NotFoundError("paused subscription");
    if (access !== "every practice") await requireAllPractices(tx, access, resumed.client_id, "resume it");
    await tx.run(sql`
      UPDATE published_event
      SET next_attempt_date = ${databaseNow()}, give_up_date = ${giveUpDate(now)}, attempts_before = attempts
      WHERE subscription_id = ${id} AND delivery = 'pending'`);
    wakeDelivery(tx);
    const changes = { paused_date: { old: resumed.paused_date, new: null } };
    const entry = { id, version: resumed.version, kind: "updated" as const, changes, occurredDate: now };
    await appendRecordVersion(tx, { type: "subscription", practiceId: null, origin, ...entry });
  });
}

/**
 * Resumes a paused subscription on behalf of a staff member, who gives a reason.
 *
 * @throws ValidationError if there is no reason
 * @throws NotFoundError, ConflictError as `resumeSubscription`
 */
export async function resumeForPractice(
  { access, origin }: { access: Access; origin: Origin },
  id: number,
): Promise<void> {
  if (!origin.reason) throw new ValidationError({ reason: ["Enter a reason. It is saved in the history."] });
  await resumeSubscription(id, origin, access);
}

/**
 * Requires access to all practices of a subscription's client, because the action affects the events of all of them (invariant 4).
 *
 * @throws ConflictError belongs_elsewhere
 */
export async function requireAllPractices(
  tx: Tx,
  access: Access,
  clientId: number,
  action: "resume it" | "replace its secret",
): Promise<StaffClient> {
  const client = await getStaffClient(access, clientId, tx);
  if (!client.elsewhere) return client;
  throw new ConflictError(
    "belongs_elsewhere",
    `${client.name} also receives events of practices that you don't belong to. Ask a user who belongs to all of them to ${action}.`,
  );
}
