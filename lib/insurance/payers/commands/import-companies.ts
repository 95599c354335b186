import { isDeepStrictEqual } from "node:util";
import { deleteRecord, insertRecord, type RecordTable, updateRecord } from "@/lib/access/history/commands";
import { lastChangeSource } from "@/lib/access/history/queries";
import type { ChangeSource, Origin } from "@/lib/access/identity/access";
import { publishAs } from "@/lib/events/published/publish-events";
import { COMPANY_COLUMNS, COMPANY_FIELDS, type CompanyFields, type CompanyRow } from "@/lib/insurance/payers/schema";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, raw, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { keysOf, pick } from "@/lib/platform/objects";

export type ExternalCompany = CompanyRow & { external_id: number };
/** Payers imported from another system. */
export const COMPANIES: RecordTable<ExternalCompany> = {
  type: "insurance_company",
  columns: [...COMPANY_COLUMNS, "external_id"],
  practice: "practice_id",
  publish: publishAs("insurance_companies"),
};

/** A payer to import from another system, with its ID there and the fields in the file. */
export interface CompanyToImport {
  externalId: number;
  fields: Partial<CompanyFields> & Pick<CompanyFields, "carrier">;
}

/** A payer that an import created or changed, with its values before and after. */
export interface CompanyChange {
  id: number;
  /** Null if the import created it. */
  before: CompanyValues | null;
  /** Null in imports by earlier releases, which did not record it. */
  after: CompanyValues | null;
}

/** The values of a payer that an import can change. */
export type CompanyValues = CompanyFields & { deleted_date: string | null };

interface ImportResult {
  /** The IDs of the payers that were created. */
  created: number[];
  updated: number;
  unchanged: number;
  changes: CompanyChange[];
}

/**
 * Creates the payers that the practice lacks, and updates those that only imports have written. Payers that the practice has
 * edited or deleted since are left unchanged.
 */
export async function upsertCompanies(
  tx: Tx,
  practiceId: number,
  companies: readonly CompanyToImport[],
  origin: Origin,
): Promise<ImportResult> {
  const known = await listImportedCompanies(tx, practiceId);
  const done: ImportResult = { created: [], updated: 0, unchanged: 0, changes: [] };
  for (const { externalId, fields } of companies) {
    const before = known.get(externalId);
    const values: Partial<ExternalCompany> = fields;
    if (!before) {
      const company = { ...values, practice_id: practiceId, external_id: externalId };
      const created = await insertRecord(tx, COMPANIES, company, origin);
      done.created.push(created.id);
      done.changes.push({ id: created.id, before: null, after: toValues(created) });
    } else if (before.last_source === "migration" && (before.deleted_date !== null || differs(before, fields))) {
      // If a rollback deleted the payer, this restores it.
      await updateRecord(tx, COMPANIES, { before, values: { ...values, deleted_date: null }, origin });
      done.updated++;
      const after = { ...toValues(before), ...fieldsInFile(fields), deleted_date: null };
      done.changes.push({ id: before.id, before: toValues(before), after });
    } else done.unchanged++;
  }
  return done;
}

function toValues(company: CompanyRow): CompanyValues {
  return pick(company, [...COMPANY_FIELDS, "deleted_date"]);
}

/** Picks the fields that the file has. */
function fieldsInFile(fields: Partial<CompanyFields>): Partial<CompanyFields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function differs(before: CompanyRow, fields: Partial<CompanyFields>): boolean {
  return keysOf(fields).some((field) => before[field] !== fields[field]);
}

/** A payer imported from another system, with its ID there and the source of its last change. */
export type ImportedCompany = ExternalCompany & { last_source: ChangeSource | null };

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
): Promise<Row<"insurance_company", "id" | "external_id" | "carrier">[]> {
  return read.rows(
    kysely
      .selectFrom("insurance_company")
      .select(["id", "external_id", "carrier"])
      .where("practice_id", "=", practiceId)
      .where("deleted_date", "is", null)
      .orderBy("id"),
  );
}

/** A payer that was not restored, because it is in use or was changed since. */
export interface KeptCompany {
  id: number;
  carrier: string;
  why: "used" | "changed";
}

/** The result of restoring the payers that an import created or changed. */
export interface RestoredCompanies {
  removed: number[];
  restored: number[];
  kept: KeptCompany[];
}

/**
 * Undoes an import of payers: deletes those it created and restores the values of those it changed. Payers that were changed
 * since, and payers to delete that are still in use, are left unchanged.
 *
 * @param inUse payers that insurances or policies refer to
 */
export async function restoreCompanies(
  tx: Tx,
  practiceId: number,
  { changes, inUse, origin }: { changes: readonly CompanyChange[]; inUse: ReadonlySet<number>; origin: Origin },
): Promise<RestoredCompanies> {
  const result: RestoredCompanies = { removed: [], restored: [], kept: [] };
  const withPlans = await listCompaniesWithPlans(
    tx,
    changes.map(({ id }) => id),
  );
  for (const change of [...changes].sort((a, b) => a.id - b.id)) {
    const company = await lockCompany(tx, practiceId, change.id);
    const existedBefore = change.before !== null && change.before.deleted_date === null;
    // Nothing to undo: the payer did not exist before the import and has been deleted since.
    if (!company || (company.deleted_date !== null && !existedBefore)) continue;
    const isUsed = inUse.has(company.id) || withPlans.has(company.id);
    if (!isUnchangedSinceImport(company, change)) result.kept.push(keptFor(company, "changed"));
    else if (!existedBefore && isUsed) result.kept.push(keptFor(company, "used"));
    else if (change.before === null) {
      await deleteRecord(tx, COMPANIES, company, origin);
      result.removed.push(company.id);
    } else {
      const { before } = change;
      const kind = before.deleted_date === null ? "updated" : "deleted";
      await updateRecord(tx, COMPANIES, { before: company, values: before, origin, kind });
      result.restored.push(company.id);
    }
  }
  return result;
}

/** Locks a payer, deleted or not. */
function lockCompany(tx: Tx, practiceId: number, id: number): Promise<ExternalCompany | null> {
  return tx.first<ExternalCompany>(sql`
    SELECT ${raw(COMPANIES.columns.join(", "))} FROM insurance_company
    WHERE id = ${id} AND practice_id = ${practiceId} FOR NO KEY UPDATE`);
}

/** Returns whether a payer is unchanged since the import. Without recorded values, it must be in its first version. */
function isUnchangedSinceImport(company: ExternalCompany, { after }: CompanyChange): boolean {
  if (after === null) return company.version === 1;
  return [...COMPANY_FIELDS, "deleted_date" as const].every((field) => isDeepStrictEqual(company[field], after[field]));
}

const keptFor = ({ id, carrier }: ExternalCompany, why: KeptCompany["why"]): KeptCompany => ({ id, carrier, why });

/** Returns the IDs of the payers, among these, that have plans. */
export async function listCompaniesWithPlans(read: Db, ids: readonly number[]): Promise<Set<number>> {
  const rows = await read.rows(
    kysely
      .selectFrom("insurance_plan")
      .select("insurance_company_id as id")
      .distinct()
      .where("insurance_company_id", "=", anyOf(ids))
      .where("deleted_date", "is", null),
  );
  return new Set(rows.map(({ id }) => id));
}
