import type { Access } from "@/lib/access/identity/access";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import { type PageRequest, type PageSlice, selectPage } from "@/lib/platform/db/page";
import { type Db, db, inList, join, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { listPracticeRules, type PracticeRules } from "@/lib/practice/practices/queries";
import { legacyInsurancesEnded } from "@/lib/practice/practices/rules";
import type { InsuranceRow, PatientRow } from "./schema";
import { listInsurances } from "./store";

// Reads and lists of patients are on the hot path, so they are SQL (ADR 0188).

/** The columns of a `PatientRow`, with the patient table named `p`. */
export const PATIENT_COLUMNS = sql`p.id, p.practice_id, p.primary_physician_id, p.external_id, p.master_patient, p.first_name,
  p.middle_name, p.last_name, p.dob, p.sex, p.details, p.phones, p.version, p.created_date, p.last_modified, p.deleted_date`;

/** Returns a condition for other queries: the patient with this ID exists and the caller may see it (invariant 4). */
export function patientIsVisible({ practices }: Pick<Access, "practices">, patientId: Sql): Sql {
  return sql`EXISTS (SELECT FROM patient visible WHERE visible.id = ${patientId} AND visible.deleted_date IS NULL
    AND visible.practice_id = ANY(${practices}))`;
}

/** Returns the IDs, among these, that belong to no patient of the practice. */
export async function findAbsentPatients(
  read: Db,
  { practiceId, ids }: { practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const rows = await read.rows(
    kysely
      .selectFrom("patient")
      .select("id")
      .where("id", "=", anyOf(ids))
      .where("practice_id", "=", practiceId)
      .where("deleted_date", "is", null),
  );
  const found = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !found.has(id));
}

/**
 * Requires that the caller may see a patient.
 *
 * @throws NotFoundError if the patient does not exist or belongs to another practice
 */
export async function requirePatient(access: Access, patientId: number): Promise<void> {
  const found = await db.first(sql`SELECT 1 WHERE ${patientIsVisible(access, sql`${patientId}::bigint`)}`);
  if (!found) throw new NotFoundError("patient");
}

/**
 * Returns a patient that the caller may see.
 *
 * @throws NotFoundError if the patient does not exist or belongs to another practice
 */
export async function getPatient(access: Access, patientId: number, read: Db = db): Promise<PatientRow> {
  const patient = await read.first<PatientRow>(sql`
    SELECT ${PATIENT_COLUMNS} FROM patient p
    WHERE p.id = ${patientId} AND p.deleted_date IS NULL AND ${inList(sql`p.practice_id`, access.practices)}`);
  if (!patient) throw new NotFoundError("patient");
  return patient;
}

/** Returns those of these patients that the caller may see. */
export async function findPatients(access: Access, ids: readonly number[], read: Db = db): Promise<PatientRow[]> {
  return read.rows<PatientRow>(sql`
    SELECT ${PATIENT_COLUMNS} FROM patient p
    WHERE p.id = ANY(${[...ids]}::bigint[]) AND p.deleted_date IS NULL AND ${inList(sql`p.practice_id`, access.practices)}`);
}

/** The contract's filters of the patients list. */
export interface PatientFilter {
  first_name?: string | undefined;
  last_name?: string | undefined;
  dob?: string | undefined;
  sex?: string | undefined;
  member_id?: string | undefined;
  group_id?: string | undefined;
  phone_number?: string | undefined;
  insurance_company?: number | undefined;
  insurance_plan?: number | undefined;
  master?: number | undefined;
  master_patient?: number | undefined;
  practice?: number[] | undefined;
  last_modified__gt?: string | undefined;
  last_modified__gte?: string | undefined;
  last_modified__lt?: string | undefined;
  last_modified__lte?: string | undefined;
}

/** The names of a patient `p` in the form of their indexes. */
export const LAST_NAME = sql`(lower(p.last_name) COLLATE "C")`;
export const FIRST_NAME = sql`(lower(p.first_name) COLLATE "C")`;
/** Reduces a member ID to what its index has: letters and digits, ignoring case. */
const memberKey = (id: Sql) => sql`regexp_replace(lower(${id}), '[^a-z0-9]', '', 'g')`;
/** The member ID of a legacy insurance `i` in the form of its index. */
export const MEMBER_KEY = sql`${memberKey(sql`i.member_id`)} COLLATE "C"`;

/** Fields the patients list can be ordered by. */
export const PATIENT_ORDERS = {
  last_name: LAST_NAME,
  first_name: FIRST_NAME,
  dob: sql`p.dob`,
  last_modified: sql`p.last_modified`,
  created_date: sql`p.created_date`,
};

/** Returns a page of the patients the caller may see. Name filters match the whole name, ignoring case. */
export async function listPatients(
  access: Access,
  filter: PatientFilter,
  page: PageRequest,
): Promise<PageSlice<PatientRow>> {
  const practices = filter.practice ? access.practices.filter((id) => filter.practice?.includes(id)) : access.practices;
  const where = [
    inList(sql`p.practice_id`, practices),
    sql`p.deleted_date IS NULL`,
    ...patientConditions(filter),
    ...insuranceConditions(filter, practices),
  ];
  return selectPage<PatientRow>(db, {
    columns: PATIENT_COLUMNS,
    from: sql`patient p`,
    where: join(where, " AND "),
    id: sql`p.id`,
    orderings: PATIENT_ORDERS,
    page,
  });
}

function patientConditions(filter: PatientFilter): Sql[] {
  const when = (value: unknown, condition: Sql) => (value === undefined ? [] : [condition]);
  const digits = filter.phone_number?.replace(/\D/g, "");
  return [
    ...when(filter.first_name, sql`${FIRST_NAME} = lower(${filter.first_name})`),
    ...when(filter.last_name, sql`${LAST_NAME} = lower(${filter.last_name})`),
    ...when(filter.dob, sql`p.dob = ${filter.dob}`),
    ...when(filter.sex, sql`p.sex = ${filter.sex}`),
    ...[filter.master, filter.master_patient].flatMap((id) => (id === undefined ? [] : [isMasteredBy(id)])),
    ...when(filter.last_modified__gt, sql`p.last_modified > ${filter.last_modified__gt}`),
    ...when(filter.last_modified__gte, sql`p.last_modified >= ${filter.last_modified__gte}`),
    ...when(filter.last_modified__lt, sql`p.last_modified < ${filter.last_modified__lt}`),
    ...when(filter.last_modified__lte, sql`p.last_modified <= ${filter.last_modified__lte}`),
    ...when(digits, sql`p.phones @> ${JSON.stringify([{ digits }])}::jsonb`),
  ];
}

/** Returns a condition that a patient has this master. A patient that was not merged into another is its own master. */
function isMasteredBy(id: number): Sql {
  return sql`(p.master_patient = ${id} OR (p.id = ${id} AND p.master_patient IS NULL))`;
}

function insuranceConditions(filter: PatientFilter, practices: readonly number[]): Sql[] {
  const columns = ["member_id", "group_id", "insurance_company", "insurance_plan"] as const;
  const matches = columns.flatMap((column) =>
    filter[column] === undefined ? [] : [sql`i.${raw(column)} = ${filter[column]}`],
  );
  if (matches.length === 0) return [];
  // Finds them by the index.
  if (filter.member_id !== undefined) matches.push(sql`${MEMBER_KEY} = ${memberKey(sql`${filter.member_id}`)}`);
  return [
    sql`EXISTS (SELECT FROM patient_insurance i WHERE i.patient_id = p.id AND ${inList(sql`i.practice_id`, practices)}
      AND i.deleted_date IS NULL AND ${join(matches, " AND ")})`,
  ];
}

/** A patient with its legacy insurances, which are null once the practice's deadline is enforced. */
export interface PatientView {
  patient: PatientRow;
  insurances: InsuranceRow[] | null;
  rules: PracticeRules;
}

/** Adds the legacy insurances to patients, with two statements for any number of patients. */
export async function viewPatients(patients: readonly PatientRow[], read: Db = db): Promise<PatientView[]> {
  const rules = await listPracticeRules(read, [...new Set(patients.map((patient) => patient.practice_id))]);
  const found = patients.flatMap((patient) => {
    const ofPractice = rules.get(patient.practice_id);
    return ofPractice ? [{ patient, rules: ofPractice, ended: legacyInsurancesEnded(ofPractice) }] : [];
  });
  const insurances = await listInsurances(
    read,
    found.flatMap(({ patient, ended }) => (ended ? [] : [patient.id])),
  );
  return found.map(({ patient, ended, ...view }) => ({
    ...view,
    patient,
    insurances: ended ? null : insurances.filter((row) => row.patient_id === patient.id),
  }));
}

/** Adds the legacy insurances to one patient. */
export async function viewPatient(patient: PatientRow, read: Db = db): Promise<PatientView> {
  const [view] = await viewPatients([patient], read);
  if (!view) throw new NotFoundError("patient");
  return view;
}

/** The number of patients that a change to a practice's insurance settings affects. */
export interface InsuredCount {
  patients: number;
  /** Patients with a current insurance. */
  insured: number;
}

/** Counts the patients of a practice, and those with a current insurance. */
export async function countInsured(read: Db, practiceId: number): Promise<InsuredCount> {
  return read.one<InsuredCount>(sql`
    SELECT (SELECT count(*) FROM patient WHERE practice_id = ${practiceId} AND deleted_date IS NULL) AS patients,
      (SELECT count(DISTINCT patient_id) FROM patient_insurance
       WHERE practice_id = ${practiceId} AND deleted_date IS NULL) AS insured`);
}

/** Counts the patients of each of the caller's practices, by practice ID. Practices without patients are omitted. */
export async function countPatients(access: Access): Promise<Map<number, number>> {
  const rows = await db.rows(
    kysely
      .selectFrom("patient")
      .select(({ fn }) => ["practice_id", fn.countAll<number>().as("patients")])
      .where("practice_id", "=", anyOf(access.practices))
      .where("deleted_date", "is", null)
      .groupBy("practice_id"),
  );
  return new Map(rows.map(({ practice_id, patients }) => [practice_id, patients]));
}

/** Selects the names of a practice's patients, without deleted ones: `id` and `name`. */
export function selectPatientNames(practiceId: number, ids: readonly number[]): Sql {
  return sql`SELECT p.id, concat_ws(' ', p.first_name, p.last_name) AS name
    FROM patient p WHERE p.practice_id = ${practiceId} AND p.deleted_date IS NULL AND ${inList(sql`p.id`, ids)}`;
}
