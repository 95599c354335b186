import { lastChangeSource } from "@/lib/access/history/queries";
import type { ChangeSource } from "@/lib/access/identity/access";
import { type Db, inList, raw, sql } from "@/lib/platform/db/sql";
import { COMPANY_COLUMNS, type CompanyRow } from "./schema";

/** A payer imported from another system, with its ID there and the source of its last change. */
export interface ImportedCompany extends CompanyRow {
  external_id: number;
  last_source: ChangeSource | null;
}

const COLUMNS = raw(COMPANY_COLUMNS.map((column) => `c.${column}`).join(", "));

/** Lists a practice's payers imported from another system, by their IDs there. */
export async function listImportedCompanies(read: Db, practiceId: number): Promise<Map<number, ImportedCompany>> {
  const rows = await read.rows<ImportedCompany>(sql`
    SELECT ${COLUMNS}, c.external_id, ${lastChangeSource("insurance_company", sql`c.id`)} AS last_source
    FROM insurance_company c WHERE c.practice_id = ${practiceId} AND c.external_id IS NOT NULL`);
  return new Map(rows.map((row) => [row.external_id, row]));
}

/** Lists the payers of a practice, with the ID in the system they were imported from, if any. */
export async function listCompanyNames(
  read: Db,
  practiceId: number,
): Promise<{ id: number; external_id: number | null; carrier: string }[]> {
  return read.rows(sql`
    SELECT id, external_id, carrier FROM insurance_company WHERE practice_id = ${practiceId} AND deleted_date IS NULL
    ORDER BY id`);
}

/** Returns those of these payers that have plans. */
export async function listCompaniesWithPlans(read: Db, ids: readonly number[]): Promise<Set<number>> {
  const rows = await read.rows<{ id: number }>(sql`
    SELECT DISTINCT insurance_company_id AS id FROM insurance_plan
    WHERE ${inList(sql`insurance_company_id`, ids)} AND deleted_date IS NULL`);
  return new Set(rows.map(({ id }) => id));
}
