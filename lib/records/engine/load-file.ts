import { BusinessRuleError } from "@/lib/platform/errors";
import { parseJson } from "@/lib/platform/files/parse-record";
import { readLines } from "@/lib/platform/files/read-lines";
import { readRows } from "@/lib/platform/files/read-rows";
import type { Source } from "@/lib/platform/files/source";
import { type Declarations, problemOfHeadings, toRow } from "./load-rules";
import type { Resource } from "./schema";

/** A row of a file, or the reason why it can't be read. Lines are counted from 1. */
export type FileRow = { line: number; bytes: number; bytesRead: number } & ({ value: unknown } | { reason: string });

const LONGEST_LINE = 1024 * 1024;

/** A file to load. */
export interface LoadedFile {
  source: Source;
  format: "ndjson" | "csv";
}

/**
 * Reads the rows of a file, one at a time.
 *
 * @throws BusinessRuleError columns_unknown: a heading of a CSV file names no field
 */
export function readFileRows(
  resource: Resource,
  declarations: Declarations,
  { source, format }: LoadedFile,
): AsyncGenerator<FileRow> {
  return format === "csv" ? readCsvRows(resource, declarations, source) : readJsonRows(source);
}

async function* readJsonRows(source: Source): AsyncGenerator<FileRow> {
  for await (const { number: line, bytes, bytesRead } of readLines(source, { maxBytes: LONGEST_LINE })) {
    const place = { line, bytes: bytes?.length ?? 0, bytesRead };
    const read = bytes ? parseJson(bytes) : `is longer than ${LONGEST_LINE} bytes`;
    yield typeof read === "string" ? { ...place, reason: read } : { ...place, value: read.value };
  }
}

async function* readCsvRows(resource: Resource, declarations: Declarations, source: Source): AsyncGenerator<FileRow> {
  let headings: string[] | null = null;
  let before = 0;
  for await (const row of readRows(source)) {
    const place = { line: row.number, bytes: row.bytesRead - before, bytesRead: row.bytesRead };
    before = row.bytesRead;
    if (!headings) {
      headings = requireHeadings(resource, row);
    } else if ("reason" in row) {
      yield { ...place, reason: row.reason };
    } else if (row.cells.length !== headings.length) {
      yield { ...place, reason: `has ${row.cells.length} cells, and there are ${headings.length} headings` };
    } else {
      yield { ...place, value: toRow(resource, declarations, { headings, cells: row.cells }) };
    }
  }
}

function requireHeadings(
  resource: Resource,
  row: { number: number } & ({ cells: string[] } | { reason: string }),
): string[] {
  const problem = "cells" in row ? problemOfHeadings(resource, row.cells) : `line ${row.number} ${row.reason}`;
  if (problem !== null) throw new BusinessRuleError("columns_unknown", problem);
  return "cells" in row ? row.cells : [];
}

/** Turns values in memory into rows, as if each were a line of a file. */
export async function* toFileRows(values: Iterable<unknown>): AsyncGenerator<FileRow> {
  let line = 0;
  for (const value of values) yield { line: ++line, bytes: 0, bytesRead: 0, value };
}
