import { appendRecordVersion } from "@/lib/access/history/commands";
import { type ClientAccess, changedFields, type Origin } from "@/lib/access/identity/access";
import { getSubscription } from "@/lib/events/published/queries";
import { sealedFor } from "@/lib/events/published/rules";
import type { SubscriptionInput, SubscriptionRow } from "@/lib/events/published/schema";
import { normalTarget, targetProblem } from "@/lib/events/webhooks/addresses";
import { createSigningKeys } from "@/lib/events/webhooks/keys";
import { isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import type { Row } from "@/lib/platform/db/rows";
import { json, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { ConflictError, NotFoundError, ValidationError } from "@/lib/platform/errors";

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
  const target = normalTarget(sent);
  const { clientId } = access;
  const keys = createSigningKeys(sealedFor({ clientId, resource, target }), SECRET_KEY);
  return transaction(async (tx) => {
    const now = isoNow();
    const inserted = await tx.first<Row<"subscription", "id">>(sql`
      INSERT INTO subscription (client_id, resource, target, target_origin, properties, signing_pub_key,
        signing_private_key, created_date, modified_date)
      VALUES (${clientId}, ${resource}, ${target}, ${new URL(target).origin}, ${json(properties)}, ${keys.publicKey},
        ${keys.sealedPrivateKey}, ${now}, ${now})
      ON CONFLICT DO NOTHING RETURNING id`);
    if (!inserted) {
      throw new ConflictError("already_subscribed", `There is a subscription on ${resource} with this target.`);
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
