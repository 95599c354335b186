import { awaitsDelivery, wakeDelivery } from "@/lib/events/published/due-events";
import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import type {
  PatientChange,
  PolicyChange,
  ReplicationPayload,
} from "@/lib/insurance/patient-write/replication-payload";
import { clock, daysAgo, isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { deleteOlder } from "@/lib/platform/db/delete-older";
import { databaseNow, databaseNowPlus } from "@/lib/platform/db/due-time";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, fixed, json, type Sql, sql } from "@/lib/platform/db/sql";
import { afterCommit, type Tx } from "@/lib/platform/db/transaction";
import { rowInsert } from "@/lib/platform/db/writes";
import { wakeUp } from "@/lib/platform/jobs/wake-up";

// Every write enqueues and delivers an event. That is a hot path, so its statements are SQL (ADR 0188).

/** How long the writing process has to deliver its own event before any consumer may take it. */
const OWN_DELIVERY_MS = 1_000;

/** The background job that delivers events. */
export const REPLICATION_JOB = "crosswalk_replication";

/**
 * Enqueues the changes for the other store in the transaction of the write, so that either both are committed or neither.
 *
 * @returns the event's ID
 */
export async function enqueueReplication(
  { tx, patient, now, origin }: PatientWrite,
  { direction, kind, changes }: ReplicationPayload,
): Promise<number> {
  const delayMs = config().STREAM_CONSUMER === "inline" ? OWN_DELIVERY_MS : 0;
  const due = databaseNowPlus(sql`${delayMs}`);
  const event = await tx.one<Row<"replication_event", "id">>(sql`
    INSERT INTO replication_event (patient_id, practice_id, direction, kind, changes, origin, next_attempt_date, created_date)
    VALUES (${patient.id}, ${patient.practice_id}, ${direction}, ${kind}, ${json(changes)}, ${json(origin)}, ${due}, ${now})
    RETURNING id`);
  wakeWorkers(tx);
  return event.id;
}

const INSERT_APPLIED = rowInsert("replication_event", [
  "patient_id",
  "practice_id",
  "direction",
  "kind",
  "changes",
  "origin",
  "next_attempt_date",
  "created_date",
  "status",
  "attempts",
  "acknowledged_date",
]);

/** Records changes that the write's own transaction has applied to the other store, as an acknowledged event. */
export function recordApplied(
  { tx, patient, now, origin }: PatientWrite,
  { direction, kind, changes }: ReplicationPayload,
): void {
  tx.send(
    INSERT_APPLIED({
      patient_id: patient.id,
      practice_id: patient.practice_id,
      direction,
      kind,
      changes: JSON.stringify(changes),
      origin,
      next_attempt_date: now,
      created_date: now,
      status: "acknowledged",
      attempts: 1,
      acknowledged_date: isoNow(),
    }),
  );
}

/** Wakes the workers, once the transaction is committed. With an inline consumer, the writer delivers its event itself. */
export function wakeWorkers(tx: Tx): void {
  if (config().STREAM_CONSUMER === "worker") afterCommit(tx, () => wakeUp(REPLICATION_JOB));
}

type EventRow = Row<"replication_event", "id" | "patient_id" | "kind" | "origin" | "attempts" | "created_date"> & {
  status: OpenStatus;
};

type OpenStatus = "pending" | "failed";

/** An event that is neither acknowledged nor discarded yet. */
export type OpenEvent = EventRow & {
  /** After a failed attempt, the next one is due later. */
  is_backing_off: boolean;
  /** The patient has later events that are open. */
  has_more: boolean;
} & (
    | { direction: "policies_to_patients"; changes: PolicyChange[] }
    | { direction: "patients_to_policies"; changes: PatientChange[] }
  );

/** Finds the oldest open event of a patient, or null. Later events wait for it. */
export async function findNextEvent(tx: Db, patientId: number): Promise<OpenEvent | null> {
  return tx.first<OpenEvent>(sql`
    SELECT id, patient_id, direction, kind, changes, origin, status, attempts, created_date,
      attempts > 0 AND next_attempt_date > ${databaseNow()} AS is_backing_off,
      EXISTS (SELECT FROM replication_event later
        WHERE later.patient_id = e.patient_id AND later.id > e.id AND later.status IN ('pending', 'failed')) AS has_more
    FROM replication_event e
    WHERE patient_id = ${patientId} AND status IN ('pending', 'failed') ORDER BY id LIMIT 1`);
}

const OPEN_EVENTS = fixed(
  (patientId: number) => sql`
    SELECT direction, status FROM replication_event
    WHERE patient_id = ${patientId} AND status IN ('pending', 'failed') ORDER BY id`,
);

/** Lists the direction and status of a patient's open events, oldest first. */
export async function listOpenEvents(
  tx: Db,
  patientId: number,
): Promise<(Row<"replication_event", "direction"> & { status: OpenStatus })[]> {
  return tx.rows(OPEN_EVENTS(patientId));
}

/** Returns a condition for other queries: the patient has events that replication will deliver without intervention. */
export function patientHasOpenEvents(patientId: Sql): Sql {
  return sql`EXISTS (SELECT FROM replication_event open WHERE open.patient_id = ${patientId} AND open.status = 'pending')`;
}

/** Returns whether an event is settled: acknowledged, discarded or already deleted. */
export async function isSettled(eventId: number): Promise<boolean> {
  const event = await db.first(kysely.selectFrom("replication_event").select("status").where("id", "=", eventId));
  return event === null || event.status === "acknowledged" || event.status === "discarded";
}

/** Returns which of these events are neither acknowledged nor discarded yet. */
export async function findOpenEvents(eventIds: readonly number[]): Promise<Set<number>> {
  const rows = await db.rows<Row<"replication_event", "id">>(sql`
    SELECT id FROM replication_event WHERE id = ANY(${[...eventIds]}::bigint[]) AND status IN ('pending', 'failed')`);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Finds patients whose oldest open event is due, the longest overdue first. Events behind a failed one, or behind one with a
 * later retry, are not due.
 */
export async function findDuePatients(limit: number): Promise<number[]> {
  const rows = await db.rows<Row<"replication_event", "patient_id">>(sql`
    SELECT e.patient_id FROM replication_event e
    WHERE e.status = 'pending' AND e.next_attempt_date <= ${databaseNow()}
      AND NOT EXISTS (SELECT FROM replication_event h
        WHERE h.patient_id = e.patient_id AND h.id < e.id AND h.status IN ('pending', 'failed'))
    ORDER BY e.next_attempt_date LIMIT ${limit}`);
  return rows.map(({ patient_id }) => patient_id);
}

/** Acknowledges an event, in the transaction that applied it. Webhooks about the patient that waited for it are sent after the commit. */
export async function acknowledge(tx: Tx, eventId: number): Promise<void> {
  const { is_awaited } = await tx.one<{ is_awaited: boolean }>(sql`
    UPDATE replication_event SET status = 'acknowledged', acknowledged_date = ${clock.now()}, attempts = attempts + 1,
      last_error = NULL
    WHERE id = ${eventId} RETURNING ${awaitsDelivery("patients", sql`patient_id`)} AS is_awaited`);
  if (is_awaited) wakeDelivery(tx);
}

const MAX_ATTEMPTS = 8;
const FIRST_RETRY_MS = 500;

/** Records a failed attempt and schedules the next one with exponential backoff. After eight attempts the event fails. */
export async function recordFailure(eventId: number, reason: string): Promise<void> {
  const pauseMs = sql`${FIRST_RETRY_MS} * power(2, attempts) * (0.75 + random() / 2)`;
  await db.run(sql`
    UPDATE replication_event SET attempts = attempts + 1, last_error = ${reason.slice(0, 2000)},
      status = CASE WHEN attempts + 1 >= ${MAX_ATTEMPTS} THEN 'failed' ELSE status END,
      next_attempt_date = ${databaseNowPlus(pauseMs)}
    WHERE id = ${eventId} AND status = 'pending'`);
}

/** Marks an open event as discarded. `discardEvent` reconciles the two stores without it. */
export async function markDiscarded(tx: Db, eventId: number): Promise<void> {
  await tx.run(
    kysely
      .updateTable("replication_event")
      .set({ status: "discarded", acknowledged_date: isoNow() })
      .where("id", "=", eventId),
  );
}

/** Makes a failed event pending again, and schedules the next attempt of a pending one for now. */
export async function requeueEvent(tx: Db, eventId: number): Promise<void> {
  await tx.run(sql`
    UPDATE replication_event SET next_attempt_date = ${databaseNow()}, status = 'pending',
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

/** Deletes events REPLICATION_RETENTION_DAYS after they were acknowledged or discarded. Versions keep the history. */
export async function removeOldEvents(): Promise<number> {
  const settled = sql`status IN ('acknowledged', 'discarded')`;
  return deleteOlder("replication_event", "acknowledged_date", daysAgo(config().REPLICATION_RETENTION_DAYS), settled);
}
