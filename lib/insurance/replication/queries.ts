import type { Origin } from "@/lib/access/identity/access";
import type {
  ChangeKind,
  Direction,
  PatientChange,
  PolicyChange,
} from "@/lib/insurance/patient-write/replication-payload";
import { clock } from "@/lib/platform/clock";
import { type Db, db, type Sql, sql } from "@/lib/platform/db/sql";

interface EventRow {
  id: number;
  patient_id: number;
  kind: ChangeKind;
  origin: Origin;
  status: "pending" | "failed";
  attempts: number;
  next_attempt_date: string;
  created_date: string;
}

/** An event that is neither acknowledged nor discarded yet. */
export type OpenEvent = EventRow &
  (
    | { direction: "policies_to_patients"; changes: PolicyChange[] }
    | { direction: "patients_to_policies"; changes: PatientChange[] }
  );

const COLUMNS = sql`id, patient_id, direction, kind, changes, origin, status, attempts, next_attempt_date, created_date`;

/** Finds the oldest open event of a patient, or null. Later events wait for it. */
export async function findNextEvent(tx: Db, patientId: number): Promise<OpenEvent | null> {
  return tx.first<OpenEvent>(sql`
    SELECT ${COLUMNS} FROM replication_event
    WHERE patient_id = ${patientId} AND status IN ('pending', 'failed') ORDER BY id LIMIT 1`);
}

/** Lists the direction and status of a patient's open events, oldest first. */
export async function listOpenEvents(
  tx: Db,
  patientId: number,
): Promise<{ direction: Direction; status: "pending" | "failed" }[]> {
  return tx.rows(sql`
    SELECT direction, status FROM replication_event
    WHERE patient_id = ${patientId} AND status IN ('pending', 'failed') ORDER BY id`);
}

/** Returns a condition for other queries: the patient has events that replication will still deliver by itself. */
export function patientHasOpenEvents(patientId: Sql): Sql {
  return sql`EXISTS (SELECT FROM replication_event open WHERE open.patient_id = ${patientId} AND open.status = 'pending')`;
}

/** Returns whether an event is settled: acknowledged, discarded or already deleted. */
export async function isSettled(eventId: number): Promise<boolean> {
  const event = await db.first<{ status: string }>(sql`SELECT status FROM replication_event WHERE id = ${eventId}`);
  return event === null || event.status === "acknowledged" || event.status === "discarded";
}

/**
 * Finds patients whose oldest open event is due, the longest overdue first. Events behind a failed one, or behind one with a
 * later retry, are not due.
 */
export async function findDuePatients(limit: number): Promise<number[]> {
  const rows = await db.rows<{ patient_id: number }>(sql`
    SELECT e.patient_id FROM replication_event e
    WHERE e.status = 'pending' AND e.next_attempt_date <= ${clock.now()}
      AND NOT EXISTS (SELECT FROM replication_event h
        WHERE h.patient_id = e.patient_id AND h.id < e.id AND h.status IN ('pending', 'failed'))
    ORDER BY e.next_attempt_date LIMIT ${limit}`);
  return rows.map(({ patient_id }) => patient_id);
}

/** Counts open events by status, with the age in seconds of the oldest pending one. */
export async function replicationHealth(): Promise<{ pending: number; failed: number; lagSeconds: number }> {
  const row = await db.first<{ pending: number; failed: number; oldest: string | null }>(sql`
    SELECT count(*) FILTER (WHERE status = 'pending') AS pending, count(*) FILTER (WHERE status = 'failed') AS failed,
      min(created_date) FILTER (WHERE status = 'pending') AS oldest
    FROM replication_event WHERE status IN ('pending', 'failed')`);
  const oldest = row?.oldest ? Date.parse(row.oldest) : null;
  const lagSeconds = oldest === null ? 0 : Math.max(0, (clock.now().getTime() - oldest) / 1000);
  return { pending: row?.pending ?? 0, failed: row?.failed ?? 0, lagSeconds };
}
