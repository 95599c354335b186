import type { StreamPayload } from "@/lib/insurance/patient-write/changes";
import type { Unit } from "@/lib/insurance/patient-write/unit";
import { config } from "@/lib/platform/config";
import { type Db, json, sql } from "@/lib/platform/db/sql";

/** How long the writing process has to deliver its own event before any consumer may take it. */
const OWN_DELIVERY_MS = 1_000;

/** The channel on which a process without a consumer of its own calls the workers. */
export const STREAM_CHANNEL = "crosswalk_stream";

/**
 * Publishes a write in the write's own transaction: the event exists exactly when the write does.
 *
 * @returns the event's id
 */
export async function publish(unit: Unit, payload: StreamPayload): Promise<number> {
  const inline = config().STREAM_CONSUMER === "inline";
  const due = new Date(Date.parse(unit.now) + (inline ? OWN_DELIVERY_MS : 0));
  const event = await unit.tx.first<{ id: number }>(sql`
    INSERT INTO sync_event (patient_id, practice_id, direction, kind, changes, origin, next_attempt_date, created_date)
    VALUES (${unit.patient.id}, ${unit.patient.practice_id}, ${payload.direction}, ${payload.kind},
      ${json(payload.changes)}, ${json(unit.origin)}, ${due}, ${unit.now})
    RETURNING id`);
  await callWorkers(unit.tx, unit.patient.id);
  return (event as { id: number }).id;
}

/** Tells the workers of a patient with something to deliver, once the transaction commits. */
export async function callWorkers(tx: Db, patientId: number): Promise<void> {
  // NOTIFY takes a lock that all commits share: only where nobody in this process delivers.
  if (config().STREAM_CONSUMER === "inline") return;
  await tx.run(sql`SELECT pg_notify(${STREAM_CHANNEL}, ${String(patientId)})`);
}
