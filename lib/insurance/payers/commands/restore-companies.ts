import { isDeepStrictEqual } from "node:util";
import { deleteRecord, updateRecord } from "@/lib/access/history/commands";
import type { Origin } from "@/lib/access/identity/access";
import { listCompaniesWithPlans } from "@/lib/insurance/payers/import-queries";
import { COMPANY_FIELDS } from "@/lib/insurance/payers/schema";
import { raw, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { COMPANIES, type CompanyChange, type ExternalCompany } from "./import-companies";

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
    const wasThere = change.before !== null && change.before.deleted_date === null;
    // Nothing to undo: the payer did not exist before the import and is deleted by now.
    if (!company || (company.deleted_date !== null && !wasThere)) continue;
    const isUsed = inUse.has(company.id) || withPlans.has(company.id);
    if (!isAsLeft(company, change)) result.kept.push(keptFor(company, "changed"));
    else if (!wasThere && isUsed) result.kept.push(keptFor(company, "used"));
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
function isAsLeft(company: ExternalCompany, { after }: CompanyChange): boolean {
  if (after === null) return company.version === 1;
  return [...COMPANY_FIELDS, "deleted_date" as const].every((field) => isDeepStrictEqual(company[field], after[field]));
}

const keptFor = ({ id, carrier }: ExternalCompany, why: KeptCompany["why"]): KeptCompany => ({ id, carrier, why });
