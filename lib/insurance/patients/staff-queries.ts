import type { Access, FieldChanges } from "@/lib/access/identity/access";
import { FIRST_NAME, LAST_NAME, MEMBER_KEY, PATIENT_ORDERS, patientIsVisible } from "@/lib/insurance/patients/queries";
import { clock } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { db, empty, inList, join, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { BusinessRuleError } from "@/lib/platform/errors";
import { isNotVerified } from "./eligibility";
import { type Coverage, type Missing, type PatientListFilter, REVIEW_FILTERS, type ReviewName } from "./search-filters";
import { type NumberTerm, readSearch, type SearchTerm } from "./search-terms";
import type { InsuranceNotes, PatientVersionKind } from "./store";

/** A row of the patients list on staff pages, with the primary insurance. */
export interface PatientListRow
  extends Row<"patient", "id" | "first_name" | "last_name" | "dob" | "sex" | "last_modified">,
    Row<"patient_insurance", "carrier" | "member_id" | "end_date"> {
  /** Whether there is a primary insurance. Its carrier may be missing. */
  has_primary: boolean;
  /** Number of current insurances, at most three. */
  insurances: number;
}

interface Count {
  count: number;
}

export interface PatientSearch extends PatientListFilter {
  /** What {@link readSearch} reads. All of its terms must match. */
  search: string;
  /** `last_name`, `dob` or `last_modified`; a `-` in front sorts in descending order. */
  order: string;
  offset: number;
  limit: number;
}

/** Fields the list can be ordered by. */
export const PATIENT_SEARCH_ORDERS = ["last_name", "dob", "last_modified"] as const;
const ORDERS: Record<string, Sql> = PATIENT_ORDERS;

/** Returns a page of the patients of the caller's practices who match every word of a search, and their total number. */
export async function searchPatients(
  access: Access,
  { search, order, offset, limit, ...filter }: PatientSearch,
): Promise<{ count: number; results: PatientListRow[] }> {
  const matches = [...(await conditions(access, search)), ...filterConditions(access, filter)];
  const where = ownPatients(access, matches);
  const direction = raw(order.startsWith("-") ? "DESC" : "ASC");
  const column = ORDERS[order.replace(/^-/, "")] ?? LAST_NAME;
  const page = sql`ORDER BY ${column} ${direction}, ${FIRST_NAME} ${direction}, p.id ${direction}
    LIMIT ${limit} OFFSET ${offset}`;
  const counting = countMatches(where);
  if (matches.length === 0) {
    const [counted, results] = await Promise.all([
      db.one<Count>(counting),
      db.rows<PatientListRow>(listRows(sql`SELECT ${SHOWN} FROM patient p WHERE ${where} ${page}`)),
    ]);
    return { count: counted.count, results };
  }
  // MATERIALIZED finds the matches first. Otherwise the planner may scan all patients in the order of the list.
  const found = await db.rows<PatientListRow & Count>(sql`
    WITH found AS MATERIALIZED (SELECT ${SHOWN} FROM patient p WHERE ${where})
    ${listRows(sql`SELECT p.*, (SELECT count(*) FROM found) AS count FROM found p ${page}`, sql`, f.count`)}`);
  const [first] = found;
  const count = first ? first.count : offset === 0 ? 0 : (await db.one<Count>(counting)).count;
  return { count, results: found.map(({ count: _count, ...row }) => row) };
}

function ownPatients(access: Access, matches: readonly Sql[]): Sql {
  return join([inList(sql`p.practice_id`, access.practices), sql`p.deleted_date IS NULL`, ...matches], " AND ");
}

const countMatches = (where: Sql) => sql`SELECT count(*) AS count FROM patient p WHERE ${where}`;

/** Counts the patients of each review filter, exactly as the list shows them. One statement after the other, like Home's other counts. */
export async function countPatientsToReview(access: Access): Promise<Record<ReviewName, number>> {
  const counts = { no_primary: 0, ended: 0, no_member_id: 0, no_card: 0, not_verified: 0 };
  for (const name of Object.keys(counts) as ReviewName[]) {
    const where = ownPatients(access, filterConditions(access, REVIEW_FILTERS[name]));
    counts[name] = (await db.one<Count>(countMatches(where))).count;
  }
  return counts;
}

/** Spreadsheets can't open files with many more rows. */
const MAX_EXPORTED = 100_000;

/**
 * Returns all patients that match a search, in its order.
 *
 * @throws BusinessRuleError too_many, if there are more than `max`
 */
export async function exportPatients(
  access: Access,
  search: Omit<PatientSearch, "offset" | "limit">,
  max = MAX_EXPORTED,
): Promise<PatientListRow[]> {
  const { count } = await searchPatients(access, { ...search, offset: 0, limit: 1 });
  // Check again, because patients may have been added since, and a truncated file must not look complete.
  const { results } =
    count > max ? { results: [] } : await searchPatients(access, { ...search, offset: 0, limit: max + 1 });
  if (count <= max && results.length <= max) return results;
  throw new BusinessRuleError(
    "too_many",
    `More than ${max.toLocaleString("en")} patients match this search. Narrow the search and download again.`,
  );
}

/** In the form of their indexes. */
const CARRIER = sql`(lower(i.carrier) COLLATE "C")`;
/** Whether a name has more than the indexes of first and last names can find. Most patients have one word of plain letters in each. */
const HAS_MORE_WORDS = sql`(p.middle_name <> '' OR (p.first_name || p.last_name) ~ '[^A-Za-z]')`;
/** All words, folded like {@link foldName}, but without first words of plain letters. Each follows the ID of the practice. */
const MORE_WORDS = sql`array_to_tsvector(array_remove(string_to_array(btrim(regexp_replace(
  lower(translate(regexp_replace(normalize(' ' || regexp_replace(p.first_name, '^[A-Za-z]+(?![^[:space:]-])', '') || ' ' || p.middle_name
    || ' ' || regexp_replace(p.last_name, '^[A-Za-z]+(?![^[:space:]-])', ''), NFD), '[\\u0300-\\u036f.''’]', '', 'g'), 'øØłŁđĐ', 'oOlLdD')),
  '[[:space:]-]+([^[:space:]-]+)', chr(10) || p.practice_id::text || ' \\1', 'g'), ' -' || chr(10)), chr(10)), ''))`;

const SHOWN = sql`p.id, p.first_name, p.last_name, p.dob, p.sex, p.last_modified`;

/** Selects the list rows of one page of patients, in the page's order. */
function listRows(page: Sql, more: Sql = empty): Sql {
  return sql`
    SELECT f.id, f.first_name, f.last_name, f.dob, f.sex, f.last_modified, i.carrier, i.member_id, i.end_date,
      i.id IS NOT NULL AS has_primary,
      (SELECT count(*) FROM patient_insurance n WHERE n.patient_id = f.id AND n.deleted_date IS NULL) AS insurances ${more}
    FROM (SELECT p.*, row_number() OVER () AS place FROM (${page}) p) f
    LEFT JOIN patient_insurance i ON i.patient_id = f.id AND i.deleted_date IS NULL AND i.rank = 1
    ORDER BY f.place`;
}

async function conditions(access: Access, search: string): Promise<Sql[]> {
  const terms = readSearch(search, Number(today().slice(0, 4)));
  const payers = await findPayers(
    access,
    terms.flatMap((term) => ("carriers" in term ? term.carriers : [])),
  );
  const sets = terms.map((term) => {
    if (!("carriers" in term)) return anyOf(findByNumber(access, term));
    const named = term.names.map((name) => anyOf(nameConditions(access, name).map((is) => findByPatient(access, is))));
    const carriers = term.carriers.filter((carrier) => payers.has(carrier));
    return carriers.length === 0 ? allOf(named) : anyOf([allOf(named), findByCarrier(access, carriers)]);
  });
  const name = readSingleName(terms);
  // Most searches while typing. OR reads each match once; a set reads it again.
  if (name !== null && payers.size === 0) return [sql`(${join(nameConditions(access, name), " OR ")})`];
  if (sets.length === 0) return [];
  // One term can match a quarter of the patients, who are read faster together.
  if (sets.length === 1) return [sql`p.id IN ${allOf(sets)}`];
  // What several terms have in common is little, but the planner expects much and would read the whole practice. It looks up an array.
  return [sql`p.id = ANY(ARRAY${allOf(sets)})`];
}

function readSingleName([term, ...others]: readonly SearchTerm[]): string | null {
  const [name, ...rest] = term && others.length === 0 && "names" in term ? term.names : [];
  return name !== undefined && rest.length === 0 ? name : null;
}

/** A union, because PostgreSQL can't use the index of another table for OR. */
const anyOf = (found: readonly Sql[]) => sql`(${join(found, " UNION ALL ")})`;
/** An intersection of what indexes find. With AND, each patient whom one word finds would be compared with the other words, which takes longer. */
const allOf = (found: readonly Sql[]) => sql`(${join(found, " INTERSECT ")})`;

/** Selects the current insurances of a patient `p` that match a condition. */
const current = (condition: Sql) =>
  sql`SELECT FROM patient_insurance i WHERE i.patient_id = p.id AND i.deleted_date IS NULL AND ${condition}`;
const ANY = sql`true`;
const PRIMARY = sql`i.rank = 1`;
/** Hawaii is the last state where the day ends. */
const today = () => new Date(clock.now().getTime() - 10 * 3_600_000).toISOString().slice(0, 10);

const IN_STATE: Record<Coverage, (access: Access) => Sql> = {
  active: () => sql`EXISTS (${current(sql`${PRIMARY} AND (i.end_date IS NULL OR i.end_date >= ${today()}::date)`)})`,
  // By practice, like its index.
  ended: (access) => sql`p.id IN (${findByInsurance(access, sql`${PRIMARY} AND i.end_date < ${today()}::date`)})`,
  no_primary: () => sql`EXISTS (${current(ANY)}) AND NOT EXISTS (${current(PRIMARY)})`,
  archived_only: () => sql`NOT EXISTS (${current(ANY)})
    AND EXISTS (SELECT FROM policy o WHERE o.patient_id = p.id AND o.status = 'archived')`,
  none: () => sql`NOT EXISTS (${current(ANY)})`,
};

const LACKING: Record<Missing, () => Sql> = {
  card: () => sql`NOT EXISTS (SELECT FROM legacy_card c
    WHERE c.patient_id = i.patient_id AND c.rank = i.rank AND c.side = 1 AND c.ended_date IS NULL)`,
  member_id: () => sql`coalesce(trim(i.member_id), '') = ''`,
  eligibility: () => isNotVerified(sql`i`),
};

function filterConditions(access: Access, { payer, plan, coverage, missing }: PatientListFilter): Sql[] {
  const own = [
    ...(payer ? [beginsWith(CARRIER, payer.toLowerCase())] : []),
    ...(plan ? [beginsWith(sql`lower(i.plan) COLLATE "C"`, plan.toLowerCase())] : []),
    ...(missing ? [LACKING[missing]()] : []),
  ];
  return [
    ...(own.length > 0 ? [sql`p.id IN (${findByInsurance(access, join(own, " AND "))})`] : []),
    ...(coverage ? [IN_STATE[coverage](access)] : []),
  ];
}

/** A shorter beginning would match most payers. */
const MIN_CARRIER = 3;

/** Returns which of these texts begin a payer's name. Most words are names of patients, which are found faster without payers. */
async function findPayers(access: Access, carriers: readonly string[]): Promise<ReadonlySet<string>> {
  const long = carriers.filter((carrier) => carrier.length >= MIN_CARRIER);
  if (long.length === 0) return new Set();
  const rows = await db.rows<{ beginning: string }>(sql`
    SELECT beginning FROM unnest(${long}::text[]) AS beginning
    WHERE EXISTS (SELECT FROM patient_insurance i WHERE ${inPractices(access, "i")} AND i.deleted_date IS NULL
      AND ${CARRIER} >= beginning AND ${CARRIER} < beginning || ${LAST_CHARACTER})`);
  return new Set(rows.map(({ beginning }) => beginning));
}

const inPractices = (access: Access, of: "p" | "i" | "o") => inList(sql`${raw(of)}.practice_id`, access.practices);

/** Selects current insurances that match a condition. */
const findByInsurance = (access: Access, condition: Sql) => sql`
  SELECT i.patient_id FROM patient_insurance i WHERE ${inPractices(access, "i")} AND i.deleted_date IS NULL AND ${condition}`;

const findByPatient = (access: Access, condition: Sql) => sql`
  SELECT p.id FROM patient p WHERE ${inPractices(access, "p")} AND ${condition}`;

/** The statement's text doesn't depend on how many there are, so that few statements are prepared. */
function findByCarrier(access: Access, carriers: readonly string[]): Sql {
  const matches = [0, 1, 2, 3].map((at) => beginsWith(CARRIER, carriers[at] ?? NOTHING));
  return findByInsurance(access, sql`(${join(matches, " OR ")})`);
}

/** Leaves out accents, apostrophes and periods, which are often missing on one side. Takes lower case. */
const foldName = (name: string) =>
  name
    .normalize("NFD")
    .replace(/[\u0300-\u036f.'’]/g, "")
    .replace(/ø/g, "o")
    .replace(/ł/g, "l")
    .replace(/đ/g, "d");

/** Returns conditions of which a patient meets one if a word of the name begins with this text. An index serves each. */
function nameConditions({ practices }: Access, name: string): Sql[] {
  const folded = foldName(name);
  const spellings = [...new Set([name, folded])].filter((spelling) => spelling !== "");
  const begins = spellings.flatMap((spelling) => [beginsWith(LAST_NAME, spelling), beginsWith(FIRST_NAME, spelling)]);
  const first = sql`(${join(begins, " OR ")})`;
  if (folded === "") return [first];
  const quoted = folded.replace(/\\/g, "$&$&");
  const more = practices.map((practice) => `'${practice} ${quoted}':*`).join(" | ");
  return [first, sql`(${HAS_MORE_WORDS} AND ${MORE_WORDS} @@ ${more}::tsquery)`];
}

const firstDay = (year: number | null, later = 0) => (year === null ? null : `${year + later}-01-01`);

/** With fewer characters, the end of a member ID would match too many. */
const MIN_END = 4;

function findByNumber(access: Access, { dates, year, member, phone, id }: NumberTerm): Sql[] {
  const end = member.length >= MIN_END ? [...member].reverse().join("") : NOTHING;
  // Stored with or without the country code.
  const phones = ["", "1"].map((code) => {
    const stored = JSON.stringify([{ digits: phone === "" ? NOTHING : `${code}${phone}` }]);
    return sql`p.phones @> ${stored}::jsonb`;
  });
  return [
    findByPatient(access, sql`p.dob = ANY(${dates}::date[])`),
    findByPatient(access, sql`p.dob >= ${firstDay(year)}::date AND p.dob < ${firstDay(year, 1)}::date`),
    findByInsurance(access, beginsWith(MEMBER_KEY, member === "" ? NOTHING : member)),
    findByInsurance(access, beginsWith(sql`reverse(${MEMBER_KEY}) COLLATE "C"`, end)),
    findByPatient(access, sql`(${join(phones, " OR ")})`),
    findByPatient(access, sql`p.id = ${id}::bigint`),
    findByPatient(access, sql`p.external_id = ${id}::bigint`),
    sql`SELECT o.patient_id FROM policy o WHERE ${inPractices(access, "o")} AND o.id = ${id}::bigint`,
  ];
}

/** No stored text begins with it. */
const NOTHING = "\u0001";

/** Sorts after all other characters, and so ends the range of texts with the same beginning. */
const LAST_CHARACTER = "\u{10FFFF}";

/**
 * Returns a condition that a string in the collation "C" begins with another. It compares a byte range, because a prepared statement
 * can't use the index for LIKE with a parameter.
 */
function beginsWith(column: Sql, beginning: string): Sql {
  return sql`(${column} >= ${beginning} AND ${column} < ${`${beginning}${LAST_CHARACTER}`})`;
}

/** A cursor in a patient's timeline, which starts with the newest entry. */
export interface TimelineCursor {
  /** ISO 8601 */
  time: string;
  type: string;
  id: number;
  version: number;
}

/** The fields that all entries of a patient's timeline have in common. */
export interface TimelineRow extends Omit<Row<"policy_version">, "policy_id" | "patient_id" | "kind" | "snapshot"> {
  type: "patient" | "policy" | "removal";
  id: number;
}

/** A version of the patient's record, with the changed fields or notes on the changed insurances. */
export type PatientEventRow = TimelineRow & { type: "patient" } & (
    | { kind: "insurances_changed"; changes: InsuranceNotes }
    | { kind: "cards_changed"; changes: InsuranceNotes }
    | {
        kind: Exclude<PatientVersionKind, "insurances_changed" | "cards_changed">;
        changes: FieldChanges;
      }
  );

/** Lists versions of a patient's record after a cursor, newest first. */
export async function listPatientEvents(
  access: Access,
  patientId: number,
  page: { after: TimelineCursor | null; limit: number },
): Promise<PatientEventRow[]> {
  const { after, limit } = page;
  const afterCursor = after
    ? sql`AND (v.occurred_date, 'patient'::text, v.patient_id, v.version)
        < (${after.time}::timestamptz, ${after.type}::text, ${after.id}::bigint, ${after.version}::int)`
    : empty;
  return db.rows<PatientEventRow>(sql`
    SELECT 'patient' AS type, v.patient_id AS id, v.version, v.kind, v.changes, v.actor, v.source, v.reason, v.request_id,
      v.occurred_date, v.recorded_date
    FROM patient_version v
    WHERE v.patient_id = ${patientId} AND ${patientIsVisible(access, sql`v.patient_id`)} ${afterCursor}
    ORDER BY v.occurred_date DESC, v.version DESC LIMIT ${limit}`);
}
