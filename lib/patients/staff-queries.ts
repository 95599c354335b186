import { among } from "@/lib/db/page";
import { db, join, raw, type Sql, sql } from "@/lib/db/sql";
import type { Access } from "@/lib/oauth/access";

/** A patient as a row of the staff's list, with the primary insurance. */
export interface PatientListRow {
  id: number;
  first_name: string;
  last_name: string;
  /** `YYYY-MM-DD` */
  dob: string;
  sex: string;
  carrier: string | null;
  member_id: string | null;
  /** Current insurances, at most three. */
  insurances: number;
  last_modified: string;
}

export interface PatientSearch {
  /** Beginnings of names, a date of birth, the beginning of a member id: each word must fit. */
  search: string;
  /** `last_name`, `dob` or `last_modified`, with `-` in front for the other way round. */
  order: string;
  offset: number;
  limit: number;
}

/** What the list can be ordered by. */
export const PATIENT_SEARCH_ORDERS = ["last_name", "dob", "last_modified"] as const;
const ORDERS: Record<string, string> = {
  last_name: "lower(p.last_name)",
  dob: "p.dob",
  last_modified: "p.last_modified",
};

/** Most words of a search that count. */
const MOST_WORDS = 6;

/** Patients of the caller's practices who fit every word of a search, and how many there are. */
export async function searchPatients(
  access: Access,
  { search, order, offset, limit }: PatientSearch,
): Promise<{ count: number; results: PatientListRow[] }> {
  const where = join(
    [sql`${among(sql`p.practice_id`, access.practices)}`, sql`p.deleted_date IS NULL`, ...conditions(access, search)],
    " AND ",
  );
  const direction = raw(order.startsWith("-") ? "DESC" : "ASC");
  const column = raw(ORDERS[order.replace(/^-/, "")] ?? "lower(p.last_name)");
  const [counted, results] = await Promise.all([
    db.first<{ count: number }>(sql`SELECT count(*) AS count FROM patient p WHERE ${where}`),
    db.rows<PatientListRow>(sql`
      SELECT f.id, f.first_name, f.last_name, f.dob, f.sex, f.last_modified, i.carrier, i.member_id,
        (SELECT count(*) FROM patient_insurance n WHERE n.patient_id = f.id AND n.deleted_date IS NULL) AS insurances
      FROM (SELECT p.*, row_number() OVER () AS place FROM (SELECT p.id, p.first_name, p.last_name, p.dob, p.sex, p.last_modified
          FROM patient p WHERE ${where} ORDER BY ${column} ${direction}, lower(p.first_name) ${direction}, p.id ${direction}
          LIMIT ${limit} OFFSET ${offset}) p) f
      LEFT JOIN patient_insurance i ON i.patient_id = f.id AND i.deleted_date IS NULL AND i.rank = 1
      ORDER BY f.place`),
  ]);
  return { count: counted?.count ?? 0, results };
}

function conditions(access: Access, search: string): Sql[] {
  const words = search.split(/[\s,;]+/).filter((word) => word !== "");
  return words.slice(0, MOST_WORDS).map((word) => {
    const dob = toDate(word);
    if (dob) return sql`p.dob = ${dob}::date`;
    const beginning = `${word.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
    if (!/\d/.test(word)) return sql`(lower(p.last_name) LIKE ${beginning} OR lower(p.first_name) LIKE ${beginning})`;
    return sql`p.id IN (SELECT i.patient_id FROM patient_insurance i
      WHERE ${among(sql`i.practice_id`, access.practices)} AND i.deleted_date IS NULL AND lower(i.member_id) LIKE ${beginning})`;
  });
}

/** `1980-05-17` or `5/17/1980` as `YYYY-MM-DD`; null for anything else. */
function toDate(word: string): string | null {
  const [, month = "", day = "", year = ""] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(word) ?? [];
  const text = year ? `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}` : word;
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text) && !text.startsWith("0000") ? text : null;
}
