import { IS_FIRST_OF_RECORD, lockDelivery } from "@/lib/events/published/due-events";
import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { databaseNow, databaseNowPlus } from "@/lib/platform/db/due-time";
import type { Row } from "@/lib/platform/db/rows";
import { type Sql, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";

const MIN_MARGIN_MS = 5_000;
const EXPIRED = "The sender stopped before it received a response.";
/** The maximum time that a patient's event waits for replication. */
const REPLICATION_WAIT_MS = 10_000;

/** An event whose next attempt the caller makes. */
export interface ClaimedEvent
  extends Row<
      "published_event",
      | "id"
      | "event_id"
      | "event_uuid"
      | "subscription_id"
      | "client_id"
      | "practice_id"
      | "event_type"
      | "resource"
      | "resource_id"
      | "target"
      | "attempts"
      | "attempts_before"
      | "give_up_date"
      | "traceparent"
    >,
    Row<"subscription", "signing_private_key" | "signing_secrets"> {
  /** The latest time, by `performance.now()`, at which an attempt can begin to end before its lease. */
  begin_by: number;
}

/** Returns an SQL condition that holds back recent events of a patient whose record is about to change again. */
export type HoldBack = (patientId: Sql) => Sql;

/**
 * Claims events that are due, each with a lease for one attempt. Claims of all processes run one at a time. So no two workers get the
 * same attempt, no target gets more than its share, and of each record only the oldest open event is claimed. If a sender is
 * killed, its lease expires and another attempt follows.
 *
 * @param limit the number of events that the caller can send now
 * @param isHeldBack selects the patients whose events wait, for up to ten seconds (default: none)
 */
export async function claimEvents(limit: number, isHeldBack?: HoldBack): Promise<ClaimedEvent[]> {
  return transaction(async (tx) => {
    preferIndexes(tx);
    // One round trip: PostgreSQL runs the other statements once it has the lock.
    lockDelivery(tx);
    expireLeases(tx);
    // Computed before the leases begin, so that the remaining time is never overestimated.
    const begin_by = performance.now() + leaseMs() - config().WEBHOOK_TIMEOUT_MS;
    return (await leaseEvents(tx, limit, isHeldBack)).map((event) => ({ ...event, begin_by }));
  });
}

/**
 * Makes PostgreSQL look up events by their indexes for the rest of the transaction. It would underestimate a queue that grows and
 * changes within seconds, and read all open events and all dead versions of rows in each statement.
 */
export function preferIndexes(tx: Tx): void {
  tx.send(sql`
    SELECT set_config(name, 'off', true)
    FROM unnest('{enable_seqscan,enable_bitmapscan,enable_hashjoin,enable_mergejoin}'::text[]) AS name`);
}

/**
 * Returns the duration of a lease. It is longer than an attempt's timeout, to leave time for reading the record and storing the
 * outcome. Leases follow the database's clock, so the clocks of several machines need not agree.
 */
function leaseMs(): number {
  const { WEBHOOK_TIMEOUT_MS: timeoutMs } = config();
  return timeoutMs + Math.max(2 * timeoutMs, MIN_MARGIN_MS);
}

function expireLeases(tx: Tx): void {
  const now = clock.now();
  // IS NOT NULL, because PostgreSQL would otherwise expect a third of all events here, and read all attempts to join them.
  const next = sql`CASE WHEN e.give_up_date <= ${now} THEN 'failed'::delivery_state ELSE 'pending' END`;
  tx.send(sql`
    WITH lapsed AS (
      UPDATE published_event e SET delivery = ${stateAfterFailure(next)}, lease_until = NULL, modified_date = ${now},
        failed_date = ${failedDate(next, now)},
        status_code = CASE WHEN e.reported_date IS NULL THEN NULL ELSE e.status_code END,
        error_content = CASE WHEN e.reported_date IS NULL THEN ${EXPIRED} ELSE e.error_content END
      FROM subscription s
      WHERE s.id = e.subscription_id AND e.lease_until IS NOT NULL AND e.lease_until <= clock_timestamp()
      RETURNING e.id, e.attempts)
    UPDATE webhook_attempt a SET error = ${EXPIRED}
    FROM lapsed WHERE a.published_event_id = lapsed.id AND a.number = lapsed.attempts AND a.duration_ms IS NULL`);
}

async function leaseEvents(
  tx: Tx,
  limit: number,
  isHeldBack: HoldBack = () => sql`FALSE`,
): Promise<Omit<ClaimedEvent, "begin_by">[]> {
  const { WEBHOOK_TARGET_CONCURRENCY: share } = config();
  const settling = databaseNowPlus(sql`${-REPLICATION_WAIT_MS}`);
  // `busy` names the lease and `claimed` uses CASE, because PostgreSQL would otherwise read the index of all open events, of which a paused
  // subscription can have many, in each claim.
  return tx.rows(sql`
    WITH busy AS (
      SELECT s.target_origin, s.id, count(*) AS sending,
        sum(count(*)) OVER (PARTITION BY s.target_origin) AS sending_to_origin
      FROM published_event e JOIN subscription s ON s.id = e.subscription_id
      WHERE e.lease_until IS NOT NULL GROUP BY s.target_origin, s.id),
    waiting AS (
      SELECT s.target_origin, due.*, coalesce(b.sending, 0)
          + row_number() OVER (PARTITION BY s.id ORDER BY due.next_attempt_date, due.id) AS turn
      FROM subscription s LEFT JOIN busy b ON b.id = s.id
      CROSS JOIN LATERAL (
        SELECT e.id, e.next_attempt_date FROM published_event e
        WHERE e.subscription_id = s.id AND e.delivery = 'pending' AND e.next_attempt_date <= ${databaseNow()}
          AND ${IS_FIRST_OF_RECORD}
          AND NOT (e.resource = 'patients' AND e.created_date > ${settling}
            AND ${isHeldBack(sql`e.resource_id`)})
        ORDER BY e.next_attempt_date, e.id LIMIT ${share}) due
      WHERE s.deleted_date IS NULL AND s.paused_date IS NULL AND s.listen_until IS NULL),
    due AS (
      SELECT w.id, w.next_attempt_date, coalesce(b.sending, 0)
          + row_number() OVER (PARTITION BY w.target_origin ORDER BY w.turn, w.next_attempt_date, w.id) AS place
      FROM waiting w
      LEFT JOIN (SELECT DISTINCT target_origin, sending_to_origin AS sending FROM busy) b USING (target_origin)),
    claimed AS (
      UPDATE published_event SET delivery = 'sending', attempts = attempts + 1,
        lease_until = clock_timestamp() + make_interval(secs => ${leaseMs() / 1000})
      WHERE id IN (SELECT id FROM due WHERE place <= ${share} ORDER BY place, next_attempt_date LIMIT ${limit})
        AND CASE WHEN delivery = 'pending' THEN TRUE ELSE FALSE END
      RETURNING *),
    started AS (
      INSERT INTO webhook_attempt (published_event_id, number, started_date) SELECT id, attempts, ${clock.now()} FROM claimed)
    SELECT c.id, c.event_id, c.event_uuid, c.subscription_id, c.client_id, c.practice_id, c.event_type, c.resource,
      c.resource_id, c.target, c.attempts, c.attempts_before, c.give_up_date, c.traceparent, s.signing_private_key,
      s.signing_secrets
    FROM claimed c JOIN subscription s ON s.id = c.subscription_id ORDER BY c.id`);
}

/**
 * Returns the state of an event `e` of a subscription `s` after a failed attempt: `next` (pending or failed), unless meanwhile the
 * subscription was deleted or the client reported the event as processed.
 */
export function stateAfterFailure(next: Sql): Sql {
  return sql`CASE WHEN s.deleted_date IS NOT NULL THEN 'canceled'::delivery_state
    WHEN e.reported_date IS NOT NULL AND e.processed_date IS NOT NULL AND coalesce(e.error_content, '') = '' THEN 'delivered' ELSE ${next} END`;
}

/** Returns the date of an event's final failure, which is `now` if this attempt was the last. */
export function failedDate(next: Sql, now: Date): Sql {
  return sql`CASE WHEN ${stateAfterFailure(next)} = 'failed' THEN ${now}::timestamptz ELSE e.failed_date END`;
}
