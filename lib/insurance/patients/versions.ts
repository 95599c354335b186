import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import { json, sql } from "@/lib/platform/db/sql";

/** What a version of a patient recorded. */
export type PatientVersionKind = "created" | "updated" | "deleted" | "insurances_changed" | "cards_changed";

/** Increments the patient's version and appends the row that records who changed what, when, how and why (invariant 3). */
export async function appendPatientVersion(
  write: PatientWrite,
  kind: PatientVersionKind,
  changes: unknown,
): Promise<void> {
  const { origin, patient, now } = write;
  write.change = kind === "deleted" ? "deleted" : "saved";
  await write.tx.run(sql`
    WITH raised AS (
      UPDATE patient SET version = version + 1, last_modified = ${now} WHERE id = ${patient.id} RETURNING version)
    INSERT INTO patient_version (patient_id, version, kind, changes, actor, source, reason, request_id, occurred_date)
    SELECT ${patient.id}, raised.version, ${kind}, ${json(changes)}, ${json(origin.actor)}, ${origin.source},
      ${origin.reason}, ${origin.requestId}, ${now}
    FROM raised`);
}

/** Marks a patient as deleted. From then on, requests for it return 404. */
export async function markPatientDeleted({ tx, patient, now }: PatientWrite): Promise<void> {
  await tx.run(sql`UPDATE patient SET deleted_date = ${now} WHERE id = ${patient.id}`);
}
