import { changedFields } from "@/lib/access/identity/access";
import type { LockedPatient, PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import type { PatientChange } from "@/lib/insurance/patient-write/replication-payload";
import { clock } from "@/lib/platform/clock";
import { type Db, json, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { absentRecords, ValidationError } from "@/lib/platform/errors";
import { practiceHasPhysician } from "@/lib/practice/physicians/queries";
import { findAbsentRecords } from "@/lib/practice/record-lookups/queries";
import { requireNewPatient } from "./duplicates";
import { toStoredDetails, toStoredPhones } from "./rules";
import { DETAIL_DEFAULTS, type PatientDetails, type PatientInput, type PatientPatch, type PatientRow } from "./schema";
import { appendPatientVersion } from "./store";

// Writes of patients are on the hot path, so they are SQL (ADR 0188).

/**
 * Inserts a patient. No other transaction sees the row yet, so it counts as locked.
 *
 * @param options.details in their stored form
 * @throws DuplicateError patient_exists, unless `options.allowsDuplicate`
 */
export async function insertPatient(
  tx: Tx,
  input: PatientInput,
  { details, allowsDuplicate }: { details: PatientDetails; allowsDuplicate: boolean },
): Promise<LockedPatient> {
  await requirePhysician(tx, input.caregiver_practice, input.primary_physician);
  await requireLocation(tx, input.caregiver_practice, input.preferred_service_location);
  if (!allowsDuplicate) await requireNewPatient(tx, input);
  const now = clock.now().toISOString();
  return tx.one<LockedPatient>(sql`
    INSERT INTO patient (practice_id, primary_physician_id, first_name, middle_name, last_name, dob, sex, details, phones,
      version, created_date, last_modified)
    VALUES (${input.caregiver_practice}, ${input.primary_physician}, ${input.first_name}, ${input.middle_name ?? ""},
      ${input.last_name}, ${input.dob}, ${input.sex}, ${json(details)},
      ${json(toStoredPhones(input.phones ?? [], [], now))}, 0, ${now}, ${now})
    RETURNING id, practice_id, first_name, last_name, dob, version`);
}

/** Sets the demographic fields that were sent, and appends a version if any of them changed. */
export async function applyDemographics(
  write: PatientWrite,
  before: PatientRow,
  input: PatientPatch,
): Promise<PatientRow> {
  const { tx, now } = write;
  if (input.caregiver_practice !== undefined && input.caregiver_practice !== before.practice_id) {
    throw new ValidationError({ caregiver_practice: ["A patient can't be moved to another practice."] });
  }
  const after: PatientRow = {
    ...before,
    primary_physician_id: input.primary_physician ?? before.primary_physician_id,
    first_name: input.first_name ?? before.first_name,
    middle_name: input.middle_name ?? before.middle_name,
    last_name: input.last_name ?? before.last_name,
    dob: input.dob ?? before.dob,
    sex: input.sex ?? before.sex,
    details: { ...before.details, ...toStoredDetails(input, before.details, now) },
    phones: input.phones === undefined ? before.phones : toStoredPhones(input.phones, before.phones, now),
  };
  const changes = changedFields(
    { ...DETAIL_DEFAULTS, ...before, ...before.details },
    { ...DETAIL_DEFAULTS, ...after, ...after.details },
  );
  const { details: _details, ...fields } = changes;
  if (Object.keys(fields).length === 0) return before;
  if (after.primary_physician_id !== before.primary_physician_id) {
    await requirePhysician(tx, before.practice_id, after.primary_physician_id);
  }
  if ("preferred_service_location" in fields) {
    await requireLocation(tx, before.practice_id, input.preferred_service_location);
  }
  await tx.run(sql`
    UPDATE patient SET primary_physician_id = ${after.primary_physician_id}, first_name = ${after.first_name},
      middle_name = ${after.middle_name}, last_name = ${after.last_name}, dob = ${after.dob}, sex = ${after.sex},
      details = ${json(after.details)}, phones = ${json(after.phones)}
    WHERE id = ${before.id}`);
  await appendPatientVersion(write, "updated", fields);
  return after;
}

/** Returns the change to replicate to policies if the patient's name or date of birth changed: each policy has a copy. */
export function identityChanges(before: PatientRow, after: PatientRow): PatientChange[] {
  const { first_name, last_name, dob } = after;
  const same = first_name === before.first_name && last_name === before.last_name && dob === before.dob;
  return same ? [] : [{ kind: "identity", identity: { first_name, last_name, dob } }];
}

async function requirePhysician(db: Db, practiceId: number, physicianId: number): Promise<void> {
  if (await practiceHasPhysician(db, practiceId, physicianId)) return;
  throw new ValidationError({ primary_physician: absentRecords(physicianId) });
}

async function requireLocation(db: Db, practiceId: number, id: number | null | undefined): Promise<void> {
  if (id === null || id === undefined) return;
  const [absent] = await findAbsentRecords(db, { resource: "service_locations", practiceId, ids: [id] });
  if (absent === undefined) return;
  throw new ValidationError({ preferred_service_location: absentRecords(absent) });
}
