import type { ScopeResource } from "@/lib/access/identity/scopes";
import { type Sql, sql } from "@/lib/platform/db/sql";
import { afterCommit, type Tx } from "@/lib/platform/db/transaction";
import { wakeUp } from "@/lib/platform/jobs/wake-up";

/** The background job that sends webhooks. */
export const DELIVERY_JOB = "crosswalk_webhooks";

/** Wakes the delivery once the transaction is committed, because it made events due. */
export function wakeDelivery(tx: Tx): void {
  afterCommit(tx, () => wakeUp(DELIVERY_JOB));
}

/**
 * Serializes transactions that claim, delay, retry or cancel many events. Otherwise, they would lock the same events and subscriptions in
 * different orders, and a deadlock stops deliveries for a second. Call it before other statements.
 */
export function lockDelivery(tx: Tx): void {
  tx.send(sql`SELECT pg_advisory_xact_lock(hashtextextended('crosswalk webhook claim', 0))`);
}

/**
 * A condition: an event `e` is the oldest open one of its record and subscription, so it can be sent. With CASE, because PostgreSQL would
 * otherwise read the index of all open events.
 */
export const IS_FIRST_OF_RECORD = sql`CASE WHEN EXISTS (SELECT FROM published_event earlier
  WHERE earlier.subscription_id = e.subscription_id AND earlier.resource_id = e.resource_id
    AND earlier.id < e.id AND earlier.delivery IN ('pending', 'sending')) THEN FALSE ELSE TRUE END`;

/** Returns a condition for other queries: a subscription has an event of this record that is not sent yet. */
export function awaitsDelivery(resource: ScopeResource, resourceId: Sql): Sql {
  return sql`EXISTS (SELECT FROM subscription waiting JOIN published_event due ON due.subscription_id = waiting.id
    WHERE waiting.resource = ${resource} AND waiting.deleted_date IS NULL AND due.resource_id = ${resourceId}
      AND due.delivery IN ('pending', 'sending'))`;
}
