import type { CompanyFields } from "@/lib/insurance/payers/schema";
import { readCompanies } from "@/lib/migration/read/read-companies";
import type { RunCompany } from "@/lib/migration/runs/schema";
import { BusinessRuleError, ValidationError } from "@/lib/platform/errors";
import { fileSource, type Source } from "@/lib/platform/files/source";

/** A line that gives a payer's id to another name. */
export interface CompanyConflict {
  line: number;
  id: number;
  message: string;
}

/** The companies of an export, each once a name; and which lines are none, or give an id to another name. */
async function gatherCompanies(source: Source) {
  const companies = new Map<number, { externalId: number; fields: Partial<CompanyFields> & { carrier: string } }>();
  const others: RunCompany[] = [];
  const conflicts: CompanyConflict[] = [];
  const refusals: { line: number; reason: string }[] = [];
  for await (const company of readCompanies(source)) {
    const { line } = company;
    if ("reason" in company) {
      refusals.push({ line, reason: company.reason });
      continue;
    }
    const { id: externalId, ...fields } = company.record;
    const earlier = companies.get(externalId);
    if (!earlier) companies.set(externalId, { externalId, fields });
    else if (JSON.stringify(earlier.fields) === JSON.stringify(fields)) continue;
    else if (!isSameName(earlier.fields.carrier, fields.carrier)) {
      others.push({ externalId, fields });
      const message = `id: company ${externalId} is ${earlier.fields.carrier} on an earlier line, and ${fields.carrier} here.`;
      conflicts.push({ line, id: externalId, message });
    } else refusals.push({ line, reason: `id: ${externalId} stands on an earlier line with other content` });
  }
  return { companies: [...companies.values(), ...others], refusals, conflicts };
}

const isSameName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();

/**
 * The companies of an export for a run: an id with two names is in it twice, and found on each insurance that has it.
 *
 * @throws ValidationError naming the first bad line
 */
export async function readRunCompanies(source: Source): Promise<RunCompany[]> {
  const { companies, refusals } = await gatherCompanies(source).catch((error: unknown) => {
    throw error instanceof BusinessRuleError ? new ValidationError({ companies: [error.message] }) : error;
  });
  const [first] = refusals;
  if (first) throw new ValidationError({ companies: [`Line ${first.line}: ${first.reason}`] });
  return companies;
}

/**
 * The companies of a file, for checks alone: an id with two names is in it twice.
 *
 * @throws BusinessRuleError companies_unreadable, naming the first bad line
 */
export async function readCompaniesFile(
  file: string,
): Promise<{ companies: { id: number; carrier: string }[]; conflicts: CompanyConflict[] }> {
  const { companies, refusals, conflicts } = await gatherCompanies(await fileSource(file));
  const [first] = refusals;
  if (first) throw new BusinessRuleError("companies_unreadable", `Companies file, line ${first.line}: ${first.reason}`);
  return { companies: companies.map(({ externalId: id, fields }) => ({ id, carrier: fields.carrier })), conflicts };
}
