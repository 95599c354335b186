import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import type { ReplicationPayload } from "@/lib/insurance/patient-write/replication-payload";
import { config } from "@/lib/platform/config";
import { type Db, json, sql } from "@/lib/platform/db/sql";

/** How long the writing process has to deliver its own event before any consumer may take it. */
const OWN_DELIVERY_MS = 1_000;

/** The channel on which a process without a consumer of its own calls the workers. */
export const REPLICATION_CHANNEL = "crosswalk_stream";

/**
 * Publishes a write in the write's own transaction: the event exists exactly when the write does.
 *
 * @returns the event's id
 */
export async function publish(write: PatientWrite, payload: ReplicationPayload): Promise<number> {
  const inline = config().STREAM_CONSUMER === "inline";
  const due = new Date(Date.parse(write.now) + (inline ? OWN_DELIVERY_MS : 0));
  const event = await write.tx.first<{ id: number }>(sql`
    INSERT INTO sync_event (patient_id, practice_id, direction, kind, changes, origin, next_attempt_date, created_date)
    VALUES (${write.patient.id}, ${write.patient.practice_id}, ${payload.direction}, ${payload.kind},
      ${json(payload.changes)}, ${json(write.origin)}, ${due}, ${write.now})
    RETURNING id`);
  await notifyWorkers(write.tx, write.patient.id);
  return (event as { id: number }).id;
}

/** Tells the workers of a patient with something to deliver, once the transaction commits. */
export async function notifyWorkers(tx: Db, patientId: number): Promise<void> {
  // NOTIFY takes a lock that all commits share: only where nobody in this process delivers.
  if (config().STREAM_CONSUMER === "inline") return;
  await tx.run(sql`SELECT pg_notify(${REPLICATION_CHANNEL}, ${String(patientId)})`);
}
