import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import { config } from "@/lib/platform/config";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, json, sql } from "@/lib/platform/db/sql";

/** How long the writing process has to deliver its own event before any consumer may take it. */
const OWN_DELIVERY_MS = 1_000;

/** The channel on which a process without a consumer notifies the workers. */
export const REPLICATION_CHANNEL = "crosswalk_stream";

/**
 * Enqueues the changes for the other store in the transaction of the write, so that the event exists exactly if the write
 * does.
 *
 * @returns the event's ID, or null if the write changed nothing
 */
export async function enqueueReplication({
  tx,
  patient,
  now,
  origin,
  replication,
}: PatientWrite): Promise<number | null> {
  if (replication === null || replication.changes.length === 0) return null;
  const inline = config().STREAM_CONSUMER === "inline";
  const due = new Date(Date.parse(now) + (inline ? OWN_DELIVERY_MS : 0));
  const event = await tx.first<Row<"replication_event", "id">>(sql`
    INSERT INTO replication_event (patient_id, practice_id, direction, kind, changes, origin, next_attempt_date, created_date)
    VALUES (${patient.id}, ${patient.practice_id}, ${replication.direction}, ${replication.kind},
      ${json(replication.changes)}, ${json(origin)}, ${due}, ${now})
    RETURNING id`);
  await notifyWorkers(tx, patient.id);
  return event?.id ?? null;
}

/** Notifies the workers, once the transaction commits, that a patient has events to deliver. */
export async function notifyWorkers(tx: Db, patientId: number): Promise<void> {
  // NOTIFY takes a lock that all commits share, so it is sent only if this process has no consumer.
  if (config().STREAM_CONSUMER === "inline") return;
  await tx.run(sql`SELECT pg_notify(${REPLICATION_CHANNEL}, ${String(patientId)})`);
}
