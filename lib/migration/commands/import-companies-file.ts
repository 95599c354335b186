import { BusinessRuleError, ValidationError } from "@/lib/errors";
import type { Origin } from "@/lib/history/origin";
import { importCompanies } from "@/lib/insurers/commands/import-companies";
import type { CompanyFields } from "@/lib/insurers/schema";
import { parseRecord } from "../rules/read-record";
import { type CompaniesReport, legacyCompany, type Refusal } from "../schema/import";
import type { RunCompany } from "../schema/run";
import { readLines } from "./read-lines";
import { fileSource, type Source } from "./source";

const MAX_LINE_BYTES = 1024 * 1024;

/** Brings the companies of a file, one a line, into a practice. A bad line is refused and stops nothing. */
export async function importCompaniesFile(practiceId: number, file: string, origin: Origin): Promise<CompaniesReport> {
  const { companies, refusals, read, repeated } = await readCompanies(await fileSource(file));
  const counts = await importCompanies(practiceId, companies, origin);
  return { read, ...counts, unchanged: counts.unchanged + repeated, refused: refusals.length, refusals };
}

/** The companies of an export, one a line, each once; and which lines are none. */
async function readCompanies(source: Source) {
  const companies = new Map<number, { externalId: number; fields: Partial<CompanyFields> & { carrier: string } }>();
  const refusals: Refusal[] = [];
  let read = 0;
  let repeated = 0;
  for await (const line of readLines(source, { maxBytes: MAX_LINE_BYTES })) {
    read++;
    const parsed = parseRecord({ bytes: line.bytes, maxBytes: MAX_LINE_BYTES }, legacyCompany);
    if ("reason" in parsed) {
      refusals.push({ line: line.number, reason: parsed.reason });
      continue;
    }
    const { id: externalId, ...fields } = parsed.record;
    const earlier = companies.get(externalId);
    if (!earlier) companies.set(externalId, { externalId, fields });
    else if (JSON.stringify(earlier.fields) === JSON.stringify(fields)) repeated++;
    else refusals.push({ line: line.number, reason: `id: ${externalId} stands on an earlier line with other content` });
  }
  return { companies: [...companies.values()], refusals, read, repeated };
}

/**
 * The companies of an export for a run.
 *
 * @throws ValidationError naming the first bad line
 */
export async function readRunCompanies(source: Source): Promise<RunCompany[]> {
  const { companies, refusals } = await readCompanies(source);
  const [first] = refusals;
  if (first) throw new ValidationError({ companies: [`Line ${first.line}: ${first.reason}`] });
  return companies;
}

/**
 * The companies of a file, for checks alone.
 *
 * @throws BusinessRuleError companies_unreadable, naming the first bad line
 */
export async function readCompaniesFile(file: string): Promise<{ id: number; carrier: string }[]> {
  const companies: { id: number; carrier: string }[] = [];
  for await (const line of readLines(await fileSource(file), { maxBytes: MAX_LINE_BYTES })) {
    const parsed = parseRecord({ bytes: line.bytes, maxBytes: MAX_LINE_BYTES }, legacyCompany);
    if ("reason" in parsed) {
      throw new BusinessRuleError("companies_unreadable", `Companies file, line ${line.number}: ${parsed.reason}`);
    }
    companies.push({ id: parsed.record.id, carrier: parsed.record.carrier });
  }
  return companies;
}
