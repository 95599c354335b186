import { clock } from "@/lib/clock";
import { config } from "@/lib/config";
import { sql } from "@/lib/db/sql";
import { type Tx, transaction } from "@/lib/db/transaction";
import { patientHasOpenEvents } from "@/lib/sync/queries";

/** How much longer than its time-out an attempt stays its sender's: to write down what came of it. */
const LEASE_MARGIN_MS = 20_000;
/** How long a patient's event waits for the insurances to agree before it is told as it is. */
const IN_STEP_MS = 10_000;

/** An event whose next attempt is the caller's to make. */
export interface ClaimedEvent {
  id: number;
  event_id: number;
  event_uuid: string;
  subscription_id: number;
  client_id: number;
  practice_id: number;
  event_type: "saved" | "deleted";
  resource: string;
  resource_id: number;
  target: string;
  /** Number of the attempt to make, from 1. */
  attempts: number;
  give_up_date: string;
  signing_private_key: Buffer;
}

/**
 * Takes events that are due, each with one attempt that is nobody else's: claims are made one at a time, whoever makes
 * them, so that no two workers get the same attempt, no target gets more than its share at once, and of a record only the
 * oldest open event is taken. An attempt whose sender was killed lapses with its lease, and the next one follows.
 *
 * @param most how many the caller can send at once
 */
export async function claimEvents(most: number): Promise<ClaimedEvent[]> {
  return transaction(async (tx) => {
    await tx.run(sql`SELECT pg_advisory_xact_lock(hashtextextended('crosswalk webhook claim', 0))`);
    await freeLapsed(tx);
    return take(tx, most);
  });
}

async function freeLapsed(tx: Tx): Promise<void> {
  await tx.run(sql`
    WITH lapsed AS (
      UPDATE published_event SET delivery = 'pending', lease_until = NULL
      WHERE delivery = 'sending' AND lease_until <= ${clock.now()} RETURNING id, attempts)
    UPDATE webhook_attempt a SET error = 'The sender stopped before it had an answer.'
    FROM lapsed WHERE a.published_event_id = lapsed.id AND a.number = lapsed.attempts AND a.duration_ms IS NULL`);
}

async function take(tx: Tx, most: number): Promise<ClaimedEvent[]> {
  const { WEBHOOK_TIMEOUT_MS, WEBHOOK_TARGET_CONCURRENCY: share } = config();
  const now = clock.now();
  const lease = new Date(now.getTime() + WEBHOOK_TIMEOUT_MS + LEASE_MARGIN_MS);
  const settling = new Date(now.getTime() - IN_STEP_MS);
  return tx.rows<ClaimedEvent>(sql`
    WITH busy AS (
      SELECT s.target_origin, count(*) AS sending
      FROM published_event e JOIN subscription s ON s.id = e.subscription_id
      WHERE e.delivery = 'sending' GROUP BY s.target_origin),
    due AS (
      SELECT e.id, e.next_attempt_date, coalesce(b.sending, 0)
          + row_number() OVER (PARTITION BY s.target_origin ORDER BY e.next_attempt_date, e.id) AS place
      FROM subscription s LEFT JOIN busy b ON b.target_origin = s.target_origin
      CROSS JOIN LATERAL (
        SELECT e.id, e.next_attempt_date FROM published_event e
        WHERE e.subscription_id = s.id AND e.delivery = 'pending' AND e.next_attempt_date <= ${now}
          AND NOT EXISTS (SELECT FROM published_event earlier
            WHERE earlier.subscription_id = e.subscription_id AND earlier.resource_id = e.resource_id
              AND earlier.id < e.id AND earlier.delivery IN ('pending', 'sending'))
          AND NOT (e.resource = 'patients' AND e.created_date > ${settling}
            AND ${patientHasOpenEvents(sql`e.resource_id`)})
        ORDER BY e.next_attempt_date, e.id LIMIT ${share}) e
      WHERE s.deleted_date IS NULL AND s.paused_date IS NULL),
    claimed AS (
      UPDATE published_event SET delivery = 'sending', attempts = attempts + 1, lease_until = ${lease}
      WHERE id IN (SELECT id FROM due WHERE place <= ${share} ORDER BY place, next_attempt_date LIMIT ${most})
      RETURNING *),
    noted AS (
      INSERT INTO webhook_attempt (published_event_id, number, started_date) SELECT id, attempts, ${now} FROM claimed)
    SELECT c.id, c.event_id, c.event_uuid, c.subscription_id, c.client_id, c.practice_id, c.event_type, c.resource, c.resource_id, c.target,
      c.attempts, c.give_up_date, s.signing_private_key
    FROM claimed c JOIN subscription s ON s.id = c.subscription_id ORDER BY c.id`);
}
