import { changedFields, type Origin } from "@/lib/access/identity/access";
import { type PatientToImport, toPatientRow } from "@/lib/insurance/patients/rules";
import type { InsuranceRow, LegacyCardRow } from "@/lib/insurance/patients/schema";
import {
  allocateInsuranceIds,
  allocatePolicyIds,
  insertCards,
  takeId,
  upsertInsurances,
} from "@/lib/insurance/patients/store";
import { importedVersions } from "@/lib/insurance/policies/rules";
import { appendVersions, insertPolicies, type NewVersion, writeImages } from "@/lib/insurance/policies/store";
import type { Row } from "@/lib/platform/db/rows";
import { chunks, insertInto, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";

/** An imported patient with its legacy records. */
export interface ImportedPatient {
  id: number;
  practice_id: number;
  externalId: number;
  /** Hash of the imported record. */
  fingerprint: string;
  first_name: string;
  last_name: string;
  dob: string;
  insurances: InsuranceRow[];
  cards: LegacyCardRow[];
}

/**
 * Inserts patients of another system into both stores: their current and past legacy insurances with the cards, and the
 * policies built from them. Writes many rows per statement. Replicates nothing.
 */
export async function importPatients(
  tx: Tx,
  patients: readonly PatientToImport[],
  context: { practiceId: number; now: string; origin: Origin },
): Promise<ImportedPatient[]> {
  if (patients.length === 0) return [];
  const ids = await insertPatients(tx, patients, context);
  const count = patients.reduce((sum, { insurances }) => sum + insurances.length, 0);
  const insuranceIds = await allocateInsuranceIds(tx, count);
  const policyIds = await allocatePolicyIds(tx, count);
  const imported = patients.map((patient): ImportedPatient => {
    const { externalId, fingerprint, demographics, insurances, cards } = patient;
    const { first_name, last_name, dob } = demographics;
    const id = ids.get(externalId);
    if (id === undefined) throw new Error(`patient ${externalId} was not inserted`);
    const rows = insurances.map(
      (insurance): InsuranceRow => ({
        id: takeId(insuranceIds),
        patient_id: id,
        practice_id: context.practiceId,
        policy_id: takeId(policyIds),
        external_id: insurance.externalId,
        rank: insurance.rank,
        ...insurance.fields,
        created_date: insurance.createdDate,
        deleted_date: insurance.deletedDate,
      }),
    );
    return {
      id,
      practice_id: context.practiceId,
      externalId,
      fingerprint,
      first_name,
      last_name,
      dob,
      insurances: rows,
      cards,
    };
  });
  const insurances = imported.flatMap((patient) => patient.insurances);
  for (const rows of chunks(insurances, 500)) await upsertInsurances(tx, rows);
  await insertCards(
    tx,
    imported.flatMap(({ id, cards }) => cards.map((card) => ({ patient_id: id, ...card }))),
  );
  await appendCreated(tx, patients, imported, context);
  await importPolicies(tx, imported, context.origin);
  return imported;
}

async function insertPatients(
  tx: Tx,
  patients: readonly PatientToImport[],
  { practiceId, now }: { practiceId: number; now: string },
): Promise<Map<number, number>> {
  const rows = patients.map((patient) => toPatientRow(patient, { practiceId, now }));
  const inserted = await tx.rows<Row<"patient", "id"> & { external_id: number }>(
    sql`${insertInto("patient", rows)} RETURNING id, external_id`,
  );
  return new Map(inserted.map((row) => [row.external_id, row.id]));
}

/** Appends each patient's first version, with the imported fields and notes on the insurances. */
async function appendCreated(
  tx: Tx,
  patients: readonly PatientToImport[],
  imported: readonly ImportedPatient[],
  { now, origin }: { now: string; origin: Origin },
): Promise<void> {
  const sent = new Map(patients.map((patient) => [patient.externalId, patient.demographics]));
  const rows = imported.map(({ id, externalId, insurances, cards }) => {
    const notes = insurances.map(({ id: insurance, policy_id, rank, deleted_date }) => ({
      id: insurance,
      policy: policy_id,
      rank,
      kind: deleted_date === null ? "created" : "ended",
    }));
    const changes = {
      ...changedFields(null, { external_id: externalId, ...sent.get(externalId) }),
      insurances: notes,
      card_ranks: [...new Set(cards.map(({ rank }) => rank))],
    };
    const { actor, source, reason, requestId } = origin;
    return {
      patient_id: id,
      version: 1,
      kind: "created",
      changes,
      occurred_date: now,
      actor,
      source,
      reason,
      request_id: requestId,
    };
  });
  await tx.run(insertInto("patient_version", rows));
}

/**
 * Inserts the policies of imported legacy insurances: active ones with the card images of their rank for current insurances,
 * archived ones for past insurances. Their versions have the dates of the legacy records.
 */
async function importPolicies(tx: Tx, patients: readonly ImportedPatient[], origin: Origin): Promise<void> {
  const histories = patients.flatMap((patient) =>
    patient.insurances.map((insurance) =>
      importedVersions(patient, insurance, patient.cards).map((version): NewVersion => ({ ...version, origin })),
    ),
  );
  const policies = histories.flatMap((history) => history.slice(-1).map(({ policy }) => policy));
  for (const rows of chunks(policies, 500)) await insertPolicies(tx, rows);
  for (const rows of chunks(policies, 1000)) {
    await writeImages(
      tx,
      rows.map((now) => ({ before: null, now })),
    );
  }
  for (const rows of chunks(histories.flat(), 1000)) await appendVersions(tx, rows);
}
