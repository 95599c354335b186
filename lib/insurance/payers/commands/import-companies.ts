import { insertRecord, type RecordTable, updateRecord } from "@/lib/access/history/commands";
import type { Origin } from "@/lib/access/identity/access";
import { publisherOf } from "@/lib/events/published/publish-events";
import { listImportedCompanies } from "@/lib/insurance/payers/import-queries";
import { COMPANY_COLUMNS, COMPANY_FIELDS, type CompanyFields, type CompanyRow } from "@/lib/insurance/payers/schema";
import type { Tx } from "@/lib/platform/db/transaction";
import { keysOf, pick } from "@/lib/platform/objects";

/** A payer to import from another system, with its ID there and the fields in the file. */
export interface CompanyToImport {
  externalId: number;
  fields: Partial<CompanyFields> & Pick<CompanyFields, "carrier">;
}

export type ExternalCompany = CompanyRow & { external_id: number };
/** Payers imported from another system. */
export const COMPANIES: RecordTable<ExternalCompany> = {
  type: "insurance_company",
  columns: [...COMPANY_COLUMNS, "external_id"],
  practice: "practice_id",
  publish: publisherOf("insurance_companies"),
};

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

/**
 * Creates the payers that the practice lacks, and updates those that only imports have written. Payers that the practice has
 * edited or deleted since are left unchanged.
 *
 * @returns the IDs of the payers it created, and all changes
 */
export async function upsertCompanies(
  tx: Tx,
  practiceId: number,
  companies: readonly CompanyToImport[],
  origin: Origin,
): Promise<{ created: number[]; updated: number; unchanged: number; changes: CompanyChange[] }> {
  const known = await listImportedCompanies(tx, practiceId);
  const done = { created: [] as number[], updated: 0, unchanged: 0, changes: [] as CompanyChange[] };
  for (const { externalId, fields } of companies) {
    const before = known.get(externalId);
    const values = fields as Partial<ExternalCompany>;
    if (!before) {
      const company = { ...values, practice_id: practiceId, external_id: externalId };
      const made = await insertRecord(tx, COMPANIES, company, origin);
      done.created.push(made.id);
      done.changes.push({ id: made.id, before: null, after: toValues(made) });
    } else if (before.last_source === "migration" && (before.deleted_date !== null || differs(before, fields))) {
      // If a rollback deleted the payer, this restores it.
      await updateRecord(tx, COMPANIES, { before, values: { ...values, deleted_date: null }, origin });
      done.updated++;
      const after = { ...toValues(before), ...given(fields), deleted_date: null };
      done.changes.push({ id: before.id, before: toValues(before), after });
    } else done.unchanged++;
  }
  return done;
}

function toValues(company: CompanyRow): CompanyValues {
  return pick(company, [...COMPANY_FIELDS, "deleted_date"]);
}

/** Picks the fields in the file. The others are left unchanged. */
function given(fields: Partial<CompanyFields>): Partial<CompanyFields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function differs(before: CompanyRow, fields: Partial<CompanyFields>): boolean {
  return keysOf(fields).some((field) => before[field] !== fields[field]);
}
