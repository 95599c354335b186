import { pipeline, Readable } from "node:stream";
import { type CsvError, parse } from "csv-parse";
import { BusinessRuleError, DomainError } from "@/lib/errors";
import { type Columns, chooseDelimiter, guessColumns, problemOfColumns, readRow } from "../rules/columns";
import { type RawRecord, textOf } from "../rules/raw-record";
import type { ReadRecord } from "./read-records";
import { beginningOf, type Source } from "./source";

export interface CsvOptions {
  /** Which column is which field; guessed from the headings where left out. */
  columns?: Columns | undefined;
  /** Told once what the columns are read as. */
  onColumns?: ((headings: readonly string[], columns: Columns) => void) | undefined;
}

/** One row of a CSV file, or why it can't be read. */
export type CsvRow = { number: number; bytesRead: number } & ({ cells: string[] } | { reason: string });

interface Held {
  number: number;
  record: RawRecord & { insurances: RawRecord[] };
  /** Bad rows after its own: they are told after it, and do not part its rows. */
  faults: ReadRecord[];
}

const LOOKED_AT_BYTES = 64 * 1024;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The patients of a CSV export with one insurance a row: rows that follow each other and are of one patient make one record.
 * A record's number is that of its first row's last line.
 *
 * @throws BusinessRuleError columns_unknown: the headings do not tell what the columns are
 */
export async function* readCsv(source: Source, { columns, onColumns }: CsvOptions): AsyncGenerator<ReadRecord> {
  let meaning: { headings: string[]; columns: Columns } | null = null;
  let held: Held | null = null;
  let bytesRead = 0;
  const earlier = new Set<string>();
  for await (const row of readRows(source)) {
    if (!meaning) {
      meaning = readHeadings(row, columns);
      onColumns?.(meaning.headings, meaning.columns);
      continue;
    }
    const read = "reason" in row ? row : takeRow(row, meaning);
    if (read === null) continue;
    if (!("reason" in read) && held && isSamePatient(held.record, read.record)) {
      held.record.insurances.push(...read.record.insurances);
      continue;
    }
    const place = { number: row.number, bytesRead: row.bytesRead };
    if (!("reason" in read)) {
      if (held) yield* release(held, earlier, bytesRead);
      held = { ...place, record: read.record, faults: [] };
    } else if (held) held.faults.push({ ...place, reason: read.reason });
    else yield { ...place, reason: read.reason };
    ({ bytesRead } = row);
  }
  if (held) yield* release(held, earlier, bytesRead);
}

function readHeadings(row: CsvRow, columns: Columns | undefined): { headings: string[]; columns: Columns } {
  const headings = "cells" in row ? row.cells : [];
  const meaning = columns ?? guessColumns(headings);
  const problem = "reason" in row ? `line ${row.number} ${row.reason}` : problemOfColumns(headings, meaning);
  if (problem) throw new BusinessRuleError("columns_unknown", problem);
  return { headings, columns: meaning };
}

/** The record of a row; null where every cell is empty. */
function takeRow(
  { cells }: { cells: string[] },
  { headings, columns }: { headings: string[]; columns: Columns },
): Pick<Held, "record"> | { reason: string } | null {
  if (cells.every((cell) => cell === "")) return null;
  const surplus = cells.slice(headings.length).filter((cell) => cell !== "");
  if (cells.length < headings.length || surplus.length > 0) {
    return { reason: `has ${cells.length} cells, and there are ${headings.length} headings` };
  }
  const row = Object.fromEntries(headings.map((heading, at) => [heading, cells[at] ?? ""]));
  const { patient, insurance } = readRow(row, columns);
  return { record: { ...patient, insurances: insurance ? [insurance] : [] } };
}

const isSamePatient = (a: RawRecord, b: RawRecord) => textOf(a.id) !== "" && textOf(a.id) === textOf(b.id);

/** A patient whose rows have come to their end. Those that come again later can't be put together without the whole file. */
function* release({ number, record, faults }: Held, earlier: Set<string>, bytesRead: number): Generator<ReadRecord> {
  const id = textOf(record.id);
  if (id !== "" && earlier.has(id)) {
    yield { number, bytesRead, reason: `patient ${id} came before: sort the file by patient` };
  } else yield { number, bytesRead, record };
  earlier.add(id);
  yield* faults;
}

/** The rows of a file, the headings first. A bad one is told at its place, and those around it are read. */
export async function* readRows(source: Source): AsyncGenerator<CsvRow> {
  const skipped: CsvError[] = [];
  const { delimiter, start } = await lookAt(source);
  const parser = parse({
    ...{ delimiter, info: true, ltrim: true, skip_empty_lines: true },
    ...{ relax_column_count: true, relax_quotes: true, skip_records_with_error: true },
    // Bytes as they are: each cell is decoded by itself, so that a bad one is told at its row.
    encoding: "latin1",
    on_skip: (error) => {
      if (error) skipped.push(error);
      return undefined;
    },
  });
  let number = 0;
  let bytesRead = 0;
  const tellSkipped = function* (before: number): Generator<CsvRow> {
    while (skipped[0] && Number(skipped[0].lines) <= before) {
      const { message } = skipped.shift() as CsvError;
      yield { number: number + 1, bytesRead, reason: `is not CSV: ${message}` };
    }
  };
  // Iterated alone, the parser would hear nothing of a file that can't be read on, and would leave it open.
  pipeline(Readable.from(source.read(start)), parser, () => {});
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: { lines: number; bytes: number };
    }>) {
      yield* tellSkipped(info.lines - 1);
      ({ lines: number, bytes: bytesRead } = info);
      const cells = decode(record);
      yield cells ? { number, bytesRead, cells } : { number, bytesRead, reason: "is not UTF-8" };
    }
    yield* tellSkipped(Number.POSITIVE_INFINITY);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    yield { number: number + 1, bytesRead, reason: `is not CSV from here on: ${(error as Error).message}` };
  }
}

function decode(cells: readonly string[]): string[] | null {
  try {
    return cells.map((cell) => UTF8.decode(Buffer.from(cell, "latin1")).trim());
  } catch {
    return null;
  }
}

/** What stands between the cells, and where the text begins: after a byte order mark. */
async function lookAt(source: Source): Promise<{ delimiter: string; start: number }> {
  const bytes = await beginningOf(source, LOOKED_AT_BYTES);
  const start = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  return { delimiter: chooseDelimiter(bytes.toString("utf8", start)), start };
}
