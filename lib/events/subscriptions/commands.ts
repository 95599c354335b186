import { getStaffClient } from "@/lib/access/clients/staff-queries";
import { appendRecordVersion } from "@/lib/access/history/commands";
import { type Access, type ClientAccess, changedFields, type Origin } from "@/lib/access/identity/access";
import { giveUpDate } from "@/lib/events/published/publish-events";
import { normalizeTarget, targetProblem } from "@/lib/events/webhooks/addresses";
import { createSigningKeys, signingKeyContext } from "@/lib/events/webhooks/signing";
import { isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import type { Row } from "@/lib/platform/db/rows";
import { json, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { ConflictError, NotFoundError, ValidationError } from "@/lib/platform/errors";
import { getSubscription } from "./queries";
import type { SubscriptionInput, SubscriptionRow } from "./schema";
import { subscriptionIsVisible } from "./staff-queries";

interface ClientRequest {
  access: ClientAccess;
  origin: Origin;
}

/**
 * Subscribes the caller to saves and deletes of a resource, with a signing key pair of the subscription's own (design §8).
 *
 * @throws ValidationError where the target is no place webhooks go to
 * @throws ConflictError already_subscribed: the caller has a subscription on this resource and target, however spelled
 */
export async function createSubscription(
  { access, origin }: ClientRequest,
  { resource, target: sent, properties = null }: SubscriptionInput,
): Promise<SubscriptionRow> {
  const { SECRET_KEY, WEBHOOK_ALLOW_PRIVATE } = config();
  const problem = targetProblem(sent, { allowPrivate: WEBHOOK_ALLOW_PRIVATE });
  if (problem) throw new ValidationError({ target: [problem] });
  const target = normalizeTarget(sent);
  const { clientId } = access;
  const keys = createSigningKeys(signingKeyContext({ clientId, resource, target }), SECRET_KEY);
  return transaction(async (tx) => {
    const now = isoNow();
    const inserted = await tx.first<Row<"subscription", "id">>(sql`
      INSERT INTO subscription (client_id, resource, target, target_origin, properties, signing_pub_key,
        signing_private_key, created_date, modified_date)
      VALUES (${clientId}, ${resource}, ${target}, ${new URL(target).origin}, ${json(properties)}, ${keys.publicKey},
        ${keys.sealedPrivateKey}, ${now}, ${now})
      ON CONFLICT DO NOTHING RETURNING id`);
    if (!inserted) {
      throw new ConflictError("already_subscribed", `You already have a subscription to ${resource} with this target.`);
    }
    const changes = changedFields(null, { resource, target, properties, signing_pub_key: keys.publicKey });
    const entry = { id: inserted.id, version: 1, kind: "created" as const, changes, occurredDate: now };
    await appendRecordVersion(tx, { type: "subscription", practiceId: null, origin, ...entry });
    return getSubscription(access, inserted.id, tx);
  });
}

/**
 * Ends a subscription: nothing is published for it from now on, and what was still to be delivered is not. Its events stay
 * to be read.
 *
 * @throws NotFoundError
 */
export async function deleteSubscription({ access, origin }: ClientRequest, id: number): Promise<void> {
  await transaction(async (tx) => {
    const now = isoNow();
    const ended = await tx.first<Row<"subscription", "version">>(sql`
      UPDATE subscription SET deleted_date = ${now}, modified_date = ${now}, version = version + 1
      WHERE id = ${id} AND client_id = ${access.clientId} AND deleted_date IS NULL RETURNING version`);
    if (!ended) throw new NotFoundError("subscription");
    await tx.run(sql`
      UPDATE published_event SET delivery = 'canceled', modified_date = ${now}
      WHERE subscription_id = ${id} AND delivery = 'pending'`);
    const changes = { deleted_date: { old: null, new: now } };
    const entry = { id, version: ended.version, kind: "deleted" as const, changes, occurredDate: now };
    await appendRecordVersion(tx, { type: "subscription", practiceId: null, origin, ...entry });
  });
}

/** Stops delivering to a subscription: its events stay pending, new ones too, until somebody resumes it. */
export async function pauseSubscription(tx: Tx, id: number, origin: Origin): Promise<void> {
  const now = isoNow();
  const paused = await tx.first<Row<"subscription", "version">>(sql`
    UPDATE subscription SET paused_date = ${now}, modified_date = ${now}, version = version + 1
    WHERE id = ${id} AND paused_date IS NULL AND deleted_date IS NULL RETURNING version`);
  if (!paused) return;
  const changes = { paused_date: { old: null, new: now } };
  const entry = { id, version: paused.version, kind: "updated" as const, changes, occurredDate: now };
  await appendRecordVersion(tx, { type: "subscription", practiceId: null, origin, ...entry });
}

/**
 * Delivers to a paused subscription again: what waited is due now, and is tried for another 72 hours as if for the first time.
 *
 * @param access who may: those to whom all practices of the subscription's client belong; `every practice` is for our own
 *   programs
 * @throws NotFoundError where no paused subscription has this id
 * @throws ConflictError belongs_elsewhere, where its client also reaches practices that are not the caller's
 */
export async function resumeSubscription(
  id: number,
  origin: Origin,
  access: Access | "every practice" = "every practice",
): Promise<void> {
  const visible = access === "every practice" ? sql`TRUE` : subscriptionIsVisible(access);
  await transaction(async (tx) => {
    const now = isoNow();
    const resumed = await tx.first<Row<"subscription", "client_id" | "version" | "paused_date">>(sql`
      UPDATE subscription s SET paused_date = NULL, failing_since = NULL, modified_date = ${now}, version = s.version + 1
      FROM subscription before
      WHERE s.id = ${id} AND before.id = s.id AND s.paused_date IS NOT NULL AND s.deleted_date IS NULL
        AND ${visible}
      RETURNING s.client_id, s.version, before.paused_date`);
    if (!resumed) throw new NotFoundError("paused subscription");
    if (access !== "every practice") await requireWhole(tx, access, resumed.client_id);
    await tx.run(sql`
      UPDATE published_event
      SET next_attempt_date = ${now}, give_up_date = ${giveUpDate(now)}, attempts_before = attempts
      WHERE subscription_id = ${id} AND delivery = 'pending'`);
    const changes = { paused_date: { old: resumed.paused_date, new: null } };
    const entry = { id, version: resumed.version, kind: "updated" as const, changes, occurredDate: now };
    await appendRecordVersion(tx, { type: "subscription", practiceId: null, origin, ...entry });
  });
}

/**
 * The same, by a person of the practices the subscription's client reaches, who says why.
 *
 * @throws ValidationError without a reason
 * @throws NotFoundError, ConflictError
 */
export async function resumeForPractice(
  { access, origin }: { access: Access; origin: Origin },
  id: number,
): Promise<void> {
  if (!origin.reason) throw new ValidationError({ reason: ["A reason is required. It is stored in the history."] });
  await resumeSubscription(id, origin, access);
}

/** What waited goes out to all practices of a client at once: whose they are not, does not decide it (invariant 4). */
async function requireWhole(tx: Tx, access: Access, clientId: number): Promise<void> {
  const { name, elsewhere } = await getStaffClient(access, clientId, tx);
  if (!elsewhere) return;
  throw new ConflictError(
    "belongs_elsewhere",
    `${name} also receives events of practices that you don't belong to. Ask a user who belongs to all of them to resume it.`,
  );
}
