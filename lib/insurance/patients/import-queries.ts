import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, inList, sql } from "@/lib/platform/db/sql";
import { PATIENT_COLUMNS } from "./queries";
import type { PatientHistoryEntry } from "./rules";
import type { InsuranceRow, LegacyCardRow, PatientRow } from "./schema";
import { listInsurances } from "./store";

// Statements that conversion and verification run for every batch are SQL (ADR 0188).

/** A row that was imported, so it has an ID in the other system. */
type Imported<T extends "patient" | "patient_insurance", Selected extends keyof Row<T>> = Row<T, Selected> & {
  external_id: number;
};

/** A patient imported from another system. */
export type ExternalPatient = Imported<
  "patient",
  "id" | "version" | "first_name" | "last_name" | "dob" | "deleted_date"
>;

/** Lists a practice's patients with these external IDs, including deleted ones. */
export async function listExternalPatients(
  read: Db,
  practiceId: number,
  externalIds: readonly number[],
): Promise<ExternalPatient[]> {
  return read.rows<ExternalPatient>(sql`
    SELECT id, external_id, version, first_name, last_name, dob, deleted_date FROM patient
    WHERE practice_id = ${practiceId} AND ${inList(sql`external_id`, externalIds)} ORDER BY id`);
}

/** Maps the external IDs of legacy insurances to the patients they belong to. */
export async function listInsuranceOwners(
  read: Db,
  practiceId: number,
  externalIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await read.rows<Imported<"patient_insurance", "patient_id">>(sql`
    SELECT external_id, patient_id FROM patient_insurance
    WHERE practice_id = ${practiceId} AND ${inList(sql`external_id`, externalIds)}`);
  return new Map(rows.map((row) => [row.external_id, row.patient_id]));
}

/** Lists the current legacy card images of patients. */
export async function listCurrentCards(
  read: Db,
  patientIds: readonly number[],
): Promise<(LegacyCardRow & Row<"legacy_card", "patient_id">)[]> {
  return read.rows(sql`
    SELECT patient_id, rank, side AS image_rank, image_key, sha256, content_type, bytes, width, height, created_date
    FROM legacy_card WHERE ${inList(sql`patient_id`, patientIds)} AND ended_date IS NULL ORDER BY patient_id, rank, side`);
}

/** A stored patient with its legacy insurances and current cards. */
export type PatientWithLegacy = PatientRow &
  Row<"patient", "source_fingerprint"> & { insurances: InsuranceRow[]; cards: LegacyCardRow[] };

/** Lists these patients with their legacy insurances and cards, including deleted patients. */
export async function listStoredPatients(read: Db, ids: readonly number[]): Promise<PatientWithLegacy[]> {
  const patients = await read.rows<PatientRow & Row<"patient", "source_fingerprint">>(sql`
    SELECT ${PATIENT_COLUMNS}, p.source_fingerprint FROM patient p WHERE ${inList(sql`p.id`, ids)} ORDER BY p.id`);
  const insurances = await listInsurances(read, ids);
  const cards = await listCurrentCards(read, ids);
  return patients.map((patient) => ({
    ...patient,
    insurances: insurances.filter(({ patient_id }) => patient_id === patient.id),
    cards: cards.flatMap(({ patient_id, ...card }) => (patient_id === patient.id ? [card] : [])),
  }));
}

/** Lists the versions of these patients by patient ID, oldest first. */
export async function listPatientHistory(
  read: Db,
  ids: readonly number[],
): Promise<Map<number, PatientHistoryEntry[]>> {
  const rows = await read.rows<PatientHistoryEntry & Row<"patient_version", "patient_id">>(sql`
    SELECT patient_id, version, kind, changes, occurred_date FROM patient_version
    WHERE ${inList(sql`patient_id`, ids)} ORDER BY patient_id, version`);
  const history = new Map<number, PatientHistoryEntry[]>();
  for (const { patient_id, ...entry } of rows) {
    const entries = history.get(patient_id);
    if (entries) entries.push(entry);
    else history.set(patient_id, [entry]);
  }
  return history;
}

/** Returns the IDs of the companies, among these, that current or past legacy insurances refer to. */
export async function listCompaniesInUse(read: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await read.rows(
    kysely
      .selectFrom("patient_insurance")
      .select("insurance_company")
      .distinct()
      .where("insurance_company", "=", anyOf(ids)),
  );
  return rows.flatMap(({ insurance_company }) => insurance_company ?? []);
}

/** Counts the patients of a practice. */
export async function countPracticePatients(read: Db, practiceId: number): Promise<number> {
  const { count } = await read.one(
    kysely
      .selectFrom("patient")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("practice_id", "=", practiceId)
      .where("deleted_date", "is", null),
  );
  return count;
}

/** Lists the next patients of a practice after an ID, with their legacy insurances and cards. */
export async function listPatientsAfter(
  read: Db,
  practiceId: number,
  { after, limit }: { after: number; limit: number },
): Promise<PatientWithLegacy[]> {
  const rows = await read.rows(
    kysely
      .selectFrom("patient")
      .select("id")
      .where("practice_id", "=", practiceId)
      .where("deleted_date", "is", null)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit),
  );
  return listStoredPatients(
    read,
    rows.map(({ id }) => id),
  );
}
