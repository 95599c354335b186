import { createReadStream } from "node:fs";
import { parse } from "csv-parse";
import { type Columns, guessColumns, readRow } from "../rules/columns";
import type { RawRecord } from "../rules/raw-record";
import type { ReadRecord } from "./read-records";

type Row = Record<string, string>;
interface Parsed {
  record: Row;
  info: { lines: number; bytes: number };
}

/**
 * The patients of a CSV export with one insurance a row: rows that follow each other and are of one patient make one record.
 * A record's number is that of its first row's last line.
 *
 * @param columns which column is which field; guessed from the headings where left out
 */
export async function* readCsv(file: string, columns?: Columns): AsyncGenerator<ReadRecord> {
  const options = {
    columns: true,
    bom: true,
    info: true,
    trim: true,
    relax_column_count: true,
    skip_empty_lines: true,
  };
  const rows = createReadStream(file).pipe(parse({ ...options, delimiter: [",", ";", "\t"] }));
  let held: { number: number; record: RawRecord & { insurances: RawRecord[] } } | null = null;
  let bytesRead = 0;
  let meaning = columns;
  let number = 1;
  try {
    for await (const { record: row, info } of rows as AsyncIterable<Parsed>) {
      meaning ??= guessColumns(Object.keys(row));
      ({ lines: number, bytes: bytesRead } = info);
      const { patient, insurance } = readRow(row, meaning);
      const insurances = insurance ? [insurance] : [];
      if (held && patient.id !== null && held.record.id === patient.id) held.record.insurances.push(...insurances);
      else {
        if (held) yield { ...held, bytesRead };
        held = { number, record: { ...patient, insurances } };
      }
    }
    if (held) yield { ...held, bytesRead };
  } catch (error) {
    if (held) yield { ...held, bytesRead };
    yield { number: number + 1, bytesRead, reason: `is not CSV from here on: ${(error as Error).message}` };
  }
}
