import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, inList, sql, unprepared } from "@/lib/platform/db/sql";
import { groupBy } from "@/lib/platform/objects";
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
  return read.rows<ExternalPatient>(sql`${unprepared}
    SELECT p.id, p.external_id, p.version, p.first_name, p.last_name, p.dob, p.deleted_date
    FROM unnest(${[...new Set(externalIds)]}::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
      SELECT * FROM patient WHERE practice_id = ${practiceId} AND external_id = wanted.id LIMIT 1) p
    ORDER BY p.id`);
}

/** Maps the external IDs of legacy insurances to the patients they belong to. */
export async function listInsuranceOwners(
  read: Db,
  practiceId: number,
  externalIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await read.rows<Imported<"patient_insurance", "patient_id">>(sql`${unprepared}
    SELECT i.external_id, i.patient_id FROM unnest(${[...new Set(externalIds)]}::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
      SELECT external_id, patient_id FROM patient_insurance
      WHERE practice_id = ${practiceId} AND external_id = wanted.id LIMIT 1) i`);
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
  const [patients, insurances, cards] = await Promise.all([
    read.rows<PatientRow & Row<"patient", "source_fingerprint">>(sql`
      SELECT ${PATIENT_COLUMNS}, p.source_fingerprint FROM patient p WHERE ${inList(sql`p.id`, ids)} ORDER BY p.id`),
    listInsurances(read, ids),
    listCurrentCards(read, ids),
  ]);
  const insurancesOf = groupBy(insurances, ({ patient_id }) => patient_id);
  const cardsOf = groupBy(cards, ({ patient_id }) => patient_id);
  return patients.map((patient) => ({
    ...patient,
    insurances: insurancesOf.get(patient.id) ?? [],
    cards: (cardsOf.get(patient.id) ?? []).map(({ patient_id: _patient, ...card }) => card),
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
  const history = groupBy(rows, ({ patient_id }) => patient_id);
  return new Map([...history].map(([id, entries]) => [id, entries.map(({ patient_id: _patient, ...entry }) => entry)]));
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
