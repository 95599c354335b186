import { clock } from "@/lib/platform/clock";
import { type Db, db, sql } from "@/lib/platform/db/sql";

const MAX_ATTEMPTS = 8;
const FIRST_RETRY_MS = 500;
const KEPT_DAYS = 30;

/** Acknowledges an event, in the transaction that applied it. */
export async function acknowledge(tx: Db, eventId: number): Promise<void> {
  await tx.run(sql`
    UPDATE replication_event SET status = 'acknowledged', acknowledged_date = ${clock.now()}, attempts = attempts + 1,
      last_error = NULL
    WHERE id = ${eventId}`);
}

/** Records a failed attempt and schedules the next one with exponential backoff. After eight attempts the event fails. */
export async function recordFailure(eventId: number, reason: string): Promise<void> {
  const now = clock.now().getTime();
  await db.run(sql`
    UPDATE replication_event SET attempts = attempts + 1, last_error = ${reason.slice(0, 2000)},
      status = CASE WHEN attempts + 1 >= ${MAX_ATTEMPTS} THEN 'failed' ELSE status END,
      next_attempt_date = ${new Date(now)}::timestamptz
        + ${FIRST_RETRY_MS} * power(2, attempts) * (0.75 + random() / 2) * interval '1 millisecond'
    WHERE id = ${eventId} AND status = 'pending'`);
}

/** Marks an open event as discarded. `discardEvent` reconciles the two stores without it. */
export async function markDiscarded(tx: Db, eventId: number): Promise<void> {
  await tx.run(sql`
    UPDATE replication_event SET status = 'discarded', acknowledged_date = ${clock.now()} WHERE id = ${eventId}`);
}

/** Makes a failed event pending again, and schedules the next attempt of a pending one for now. */
export async function requeueEvent(tx: Db, eventId: number): Promise<void> {
  await tx.run(sql`
    UPDATE replication_event SET next_attempt_date = ${clock.now()}, status = 'pending',
      attempts = CASE WHEN status = 'failed' THEN 0 ELSE attempts END
    WHERE id = ${eventId} AND status IN ('failed', 'pending')`);
}

/** Erases the payloads of settled events that mention a purged policy. */
export async function erasePolicyFromEvents(tx: Db, patientId: number, policyId: number): Promise<void> {
  await tx.run(sql`
    UPDATE replication_event SET changes = NULL
    WHERE patient_id = ${patientId} AND status IN ('acknowledged', 'discarded')
      AND (changes @> ${JSON.stringify([{ policy: { id: policyId } }])}::jsonb
        OR changes @> ${JSON.stringify([{ insurance: { policy_id: policyId } }])}::jsonb
        OR changes @> ${JSON.stringify([{ policy_id: policyId }])}::jsonb)`);
}

/** Deletes events 30 days after they were acknowledged or discarded. Versions keep the history. */
export async function removeOldEvents(): Promise<number> {
  const limit = new Date(clock.now().getTime() - KEPT_DAYS * 86_400_000);
  return db.run(
    sql`DELETE FROM replication_event WHERE status IN ('acknowledged', 'discarded') AND acknowledged_date < ${limit}`,
  );
}
