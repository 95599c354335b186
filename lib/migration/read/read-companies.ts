import { setImmediate } from "node:timers/promises";
import { openExport } from "@/lib/migration/read/open-export";
import { companyOfCells, readCompanyHeadings } from "@/lib/migration/record/company-rows";
import { legacyCompany } from "@/lib/migration/record/schema";
import { BusinessRuleError } from "@/lib/platform/errors";
import { parseJson, parseValue } from "@/lib/platform/files/parse-record";
import { readLines } from "@/lib/platform/files/read-lines";
import { readRows, type TableRow, unformatNumbers } from "@/lib/platform/files/read-rows";
import type { Source } from "@/lib/platform/files/source";
import { splitJson } from "@/lib/platform/files/split-json";
import { detectFormat } from "./read-records";

const MAX_COMPANY_BYTES = 1024 * 1024;
/** More than there are payers. Each is stored with the run. */
export const MOST_COMPANIES = 20_000;
const LONGEST_TURN_MS = 20;

type Company = ReturnType<typeof legacyCompany.parse>;

/** A payer of a file, or why a line or an entry has none. */
export type ReadCompany = { line: number } & ({ record: Company } | { reason: string });

/**
 * The insurance companies of a file: NDJSON, a JSON array, CSV or an Excel workbook, packed or not, as exports are.
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
      if (++count > MOST_COMPANIES) {
        throw new BusinessRuleError("too_many_companies", `The file holds more than ${MOST_COMPANIES} companies.`);
      }
      // A file that was sent with a request is read beside others.
      if (performance.now() - lastPause > LONGEST_TURN_MS) {
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
  if (bytes === null) return { reason: `longer than ${MAX_COMPANY_BYTES / 1024 ** 2} MiB` };
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
      const why = "reason" in row ? `line ${line} ${row.reason}` : "Its headings must name an id and a carrier.";
      throw new BusinessRuleError("columns_unknown", `Companies: ${why}`);
    }
    unformatNumbers(row, (column) => fields?.[column] === "id");
    if ("reason" in row) yield { line, reason: row.reason };
    else if (row.cells.every((cell) => cell === "")) continue;
    else if (row.cells.length !== fields.length) {
      yield { line, reason: `has ${row.cells.length} cells, and there are ${fields.length} headings` };
    } else yield { line, value: companyOfCells(fields, row.cells) };
  }
}
