import { setImmediate } from "node:timers/promises";
import { COMPANY_FIELDS, type CompanyFields } from "@/lib/insurance/payers/schema";
import { legacyCompany } from "@/lib/migration/record/schema";
import type { RunCompany } from "@/lib/migration/runs/schema";
import { BusinessRuleError, ValidationError } from "@/lib/platform/errors";
import { parseJson, parseValue } from "@/lib/platform/files/parse-record";
import { readLines } from "@/lib/platform/files/read-lines";
import { readRows, type TableRow, unformatNumbers } from "@/lib/platform/files/read-rows";
import { fileSource, type Source } from "@/lib/platform/files/source";
import { splitJson } from "@/lib/platform/files/split-json";
import { detectFormat, openExport } from "./read-records";

/** A line that uses the ID of an earlier payer for another name. */
export interface CompanyConflict {
  line: number;
  id: number;
  message: string;
}

/** Reads the payers of an export. Repeated lines count once. Reports invalid lines, and IDs that have two names. */
async function gatherCompanies(source: Source) {
  const companies = new Map<number, { externalId: number; fields: Partial<CompanyFields> & { carrier: string } }>();
  const others: RunCompany[] = [];
  const conflicts: CompanyConflict[] = [];
  const rejections: { line: number; reason: string }[] = [];
  for await (const company of readCompanies(source)) {
    const { line } = company;
    if ("reason" in company) {
      rejections.push({ line, reason: company.reason });
      continue;
    }
    const { id: externalId, ...fields } = company.record;
    const earlier = companies.get(externalId);
    if (!earlier) companies.set(externalId, { externalId, fields });
    else if (JSON.stringify(earlier.fields) === JSON.stringify(fields)) continue;
    else if (!isSameName(earlier.fields.carrier, fields.carrier)) {
      others.push({ externalId, fields });
      const message = `id: payer ${externalId} is ${earlier.fields.carrier} on an earlier line and ${fields.carrier} here.`;
      conflicts.push({ line, id: externalId, message });
    } else rejections.push({ line, reason: `has the ID ${externalId} of an earlier line, with other content` });
  }
  return { companies: [...companies.values(), ...others], rejections, conflicts };
}

const isSameName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();

/**
 * Reads the payers of an export for a run. An ID with two names is listed twice, so that each insurance that uses it is
 * reported.
 *
 * @throws ValidationError naming the first invalid line
 */
export async function readRunCompanies(source: Source): Promise<RunCompany[]> {
  const { companies, rejections } = await gatherCompanies(source).catch((error: unknown) => {
    throw error instanceof BusinessRuleError ? new ValidationError({ companies: [error.message] }) : error;
  });
  const [first] = rejections;
  if (first) throw new ValidationError({ companies: [`Line ${first.line}: ${first.reason}`] });
  return companies;
}

/**
 * Reads the payers of a file for `crosswalk check`. An ID with two names is listed twice.
 *
 * @throws BusinessRuleError companies_unreadable, naming the first invalid line
 */
export async function readCompaniesFile(
  file: string,
): Promise<{ companies: { id: number; carrier: string }[]; conflicts: CompanyConflict[] }> {
  const { companies, rejections, conflicts } = await gatherCompanies(await fileSource(file));
  const [first] = rejections;
  if (first) throw new BusinessRuleError("companies_unreadable", `Companies file, line ${first.line}: ${first.reason}`);
  return { companies: companies.map(({ externalId: id, fields }) => ({ id, carrier: fields.carrier })), conflicts };
}

const MAX_COMPANY_BYTES = 1024 * 1024;
/** Each payer is stored with the run. */
export const MAX_COMPANIES = 20_000;
const MAX_TURN_MS = 20;

type Company = ReturnType<typeof legacyCompany.parse>;

/** A payer of a file, or why its line or entry is invalid. */
export type ReadCompany = { line: number } & ({ record: Company } | { reason: string });

/**
 * Reads payers from NDJSON, a JSON array, CSV or an Excel workbook, compressed or not, like exports.
 *
 * @throws BusinessRuleError file_unreadable, format_unknown, columns_unknown, too_many_companies
 */
export async function* readCompanies(source: Source): AsyncGenerator<ReadCompany> {
  if (source.size === 0) return;
  const opened = await openExport(source);
  let count = 0;
  let lastPause = performance.now();
  try {
    for await (const { line, ...read } of "rows" in opened ? fromRows(opened.rows) : valuesOf(opened.source)) {
      if (++count > MAX_COMPANIES) {
        throw new BusinessRuleError("too_many_companies", `The file has more than ${MAX_COMPANIES} payers.`);
      }
      // The server reads this file within a request, so let other requests run in between.
      if (performance.now() - lastPause > MAX_TURN_MS) {
        await setImmediate();
        lastPause = performance.now();
      }
      yield { line, ...("reason" in read ? read : parseValue(read.value, legacyCompany)) };
    }
  } finally {
    opened.close();
  }
}

type Value = { line: number } & ({ value: unknown } | { reason: string });

async function* valuesOf(source: Source): AsyncGenerator<Value> {
  const format = await detectFormat(source);
  if (format === "csv") yield* fromRows(readRows(source));
  else if (format === "lines") {
    for await (const { number, bytes } of readLines(source, { maxBytes: MAX_COMPANY_BYTES })) {
      yield { line: number, ...toValue(bytes) };
    }
  } else {
    let line = 0;
    for await (const part of splitJson(source, { form: format, maxBytes: MAX_COMPANY_BYTES })) {
      line++;
      if ("broken" in part) yield { line, reason: `is not JSON from here on (byte ${part.start + 1}): ${part.broken}` };
      else yield { line, ...toValue(part.bytes) };
    }
  }
}

function toValue(bytes: Uint8Array | null): { value: unknown } | { reason: string } {
  if (bytes === null) return { reason: `is longer than ${MAX_COMPANY_BYTES / 1024 ** 2} MiB` };
  const read = parseJson(bytes);
  return typeof read === "string" ? { reason: read } : read;
}

async function* fromRows(rows: AsyncIterable<TableRow>): AsyncGenerator<Value> {
  let fields: (string | null)[] | null = null;
  for await (const row of rows) {
    const { number: line } = row;
    if (!fields) {
      fields = "cells" in row ? readCompanyHeadings(row.cells) : null;
      if (fields) continue;
      const why = "reason" in row ? `line ${line} ${row.reason}` : "The headings must include an id and a carrier.";
      throw new BusinessRuleError("columns_unknown", `Companies: ${why}`);
    }
    unformatNumbers(row, (column) => fields?.[column] === "id");
    if ("reason" in row) yield { line, reason: row.reason };
    else if (row.cells.every((cell) => cell === "")) continue;
    else if (row.cells.length !== fields.length) {
      yield { line, reason: `has ${row.cells.length} cells for ${fields.length} headings` };
    } else yield { line, value: companyOfCells(fields, row.cells) };
  }
}

const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");

// cspell:disable
const FIELDS = new Map<string, string>([
  ...["id", ...COMPANY_FIELDS].map((field) => [bare(field), field] as const),
  ...["companyid", "insurancecompany", "insurancecompanyid", "carrierid"].map((name) => [name, "id"] as const),
  ...["name", "company", "payer", "payername", "carriername", "companyname"].map((name) => [name, "carrier"] as const),
]);
// cspell:enable

/** Maps headings to payer fields; null if id or carrier is missing, or a field appears twice. */
export function readCompanyHeadings(headings: readonly string[]): (string | null)[] | null {
  const fields = headings.map((heading) => FIELDS.get(bare(heading)) ?? null);
  const isWhole = ["id", "carrier"].every((field) => fields.filter((one) => one === field).length === 1);
  return isWhole ? fields : null;
}

/** Reads a row as a payer of an export. Empty cells are omitted. */
export function companyOfCells(fields: readonly (string | null)[], cells: readonly string[]): Record<string, unknown> {
  const entries = fields.flatMap((field, at): [string, unknown][] => {
    const cell = cells[at] ?? "";
    if (field === null || cell === "") return [];
    if (field.startsWith("is_") && /^(true|false)$/i.test(cell)) return [[field, cell.toLowerCase() === "true"]];
    return [[field, field === "id" && /^[1-9]\d{0,14}$/.test(cell) ? Number(cell) : cell]];
  });
  return Object.fromEntries(entries);
}
