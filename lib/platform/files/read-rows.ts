import { isUtf8 } from "node:buffer";
import { CsvRow as RowBuilder } from "./csv-row";
import { chooseDelimiter } from "./delimiter";
import { type Line, splitLines } from "./read-lines";
import { inMib, READING_LIMITS } from "./reading-limits";
import { readBeginning, type Source } from "./source";

/**
 * One row of a table, or the reason why it can't be read, with a guess at its cells in `partial`. `number` is its first line. `numbers` has,
 * by column, the plain numbers of cells that show leading zeros or separators.
 */
export type TableRow = { number: number; bytesRead: number; numbers?: ReadonlyMap<number, string> } & (
  | { cells: string[] }
  | { reason: string; partial?: string[] }
);

const SAMPLE_BYTES = 64 * 1024;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");
const [QUOTE, CARRIAGE_RETURN] = [34, 13];
const { rowBytes, rowLines, columns: maxColumns } = READING_LIMITS;

/**
 * Reads the rows of a CSV file, starting with the headings. A bad row is returned with its reason, and the rows around it are read. A quote
 * that is never closed only damages its own line.
 */
export async function* readRows(source: Source): AsyncGenerator<TableRow> {
  const { delimiter, start, end, linesBefore } = await detectFormat(source);
  const lines = new Lines(splitLines(source, { maxBytes: rowBytes, start, end }));
  for (let line = await lines.next(); line; line = await lines.next()) {
    const row = await readRow(line, lines, delimiter);
    if (row) yield { ...row, number: row.number + linesBefore };
  }
}

/** Lines that can be put back, to be read again. */
class Lines {
  readonly #source: AsyncGenerator<Line>;
  #ahead: Line[] = [];

  constructor(source: AsyncGenerator<Line>) {
    this.#source = source;
  }

  async next(): Promise<Line | null> {
    const ahead = this.#ahead.pop();
    if (ahead) return ahead;
    const { value, done } = await this.#source.next();
    return done ? null : value;
  }

  putBack(lines: readonly Line[]): void {
    for (const line of lines.toReversed()) this.#ahead.push(line);
  }
}

async function readRow(first: Line, lines: Lines, delimiter: string): Promise<TableRow | null> {
  const { number, bytesRead, bytes } = first;
  if (bytes === null) return { number, bytesRead, reason: `is longer than ${inMib(rowBytes)}` };
  if (!isUtf8(bytes)) {
    const partial = split(bytes.toString("latin1"), delimiter);
    return { number, bytesRead, reason: "is not UTF-8", ...(partial && { partial }) };
  }
  const text = textOf(bytes);
  if (text.trim() === "") return null;
  if (bytes.indexOf(QUOTE) === -1) return limitColumns(first, cellsOf(text, delimiter));
  const row = new RowBuilder(delimiter);
  const further: Line[] = [];
  let size = bytes.length;
  let state = row.add(text);
  while (state === "open") {
    const line: Line | null = further.length < rowLines && size < rowBytes ? await lines.next() : null;
    if (line) further.push(line);
    size += line?.bytes?.length ?? 0;
    state = line?.bytes && isUtf8(line.bytes) && size <= rowBytes ? row.add(textOf(line.bytes)) : "damaged";
  }
  if (state === "whole")
    return limitColumns({ ...first, bytesRead: further.at(-1)?.bytesRead ?? bytesRead }, row.cells);
  lines.putBack(further);
  const partial = cellsOf(text, delimiter);
  return { number, bytesRead, reason: "is not CSV: a quote is opened and not closed", partial };
}

function limitColumns({ number, bytesRead }: Line, cells: string[]): TableRow {
  if (cells.length <= maxColumns) return { number, bytesRead, cells };
  return { number, bytesRead, reason: `has ${cells.length} cells; a row may have ${maxColumns}` };
}

function split(text: string, delimiter: string): string[] | null {
  const row = new RowBuilder(delimiter);
  return row.add(text) === "whole" ? row.cells : null;
}

const cellsOf = (text: string, delimiter: string) => text.split(delimiter).map((cell) => cell.trim());

function textOf(bytes: Uint8Array): string {
  const end = bytes[bytes.length - 1] === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  return Buffer.from(bytes.buffer, bytes.byteOffset, end).toString("utf8");
}

/** Detects the delimiter, the offset of the first row (after a byte order mark and Excel's `sep=;`), and the byte that ends a line. */
async function detectFormat(
  source: Source,
): Promise<{ delimiter: string; start: number; end: number; linesBefore: number }> {
  const bytes = await readBeginning(source, SAMPLE_BYTES);
  const mark = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  const text = bytes.toString("latin1", mark);
  const end = text.includes("\n") || !text.includes("\r") ? "\n" : "\r";
  const [declaration, delimiter] = /^sep=(.)\r?[\r\n]/i.exec(text) ?? [];
  if (declaration && delimiter) {
    return { delimiter, start: mark + declaration.length, end: end.charCodeAt(0), linesBefore: 1 };
  }
  return { delimiter: chooseDelimiter(text), start: mark, end: end.charCodeAt(0), linesBefore: 0 };
}

/** Replaces formatted numbers with plain ones in the columns of IDs and amounts. */
export function unformatNumbers(row: TableRow, isNumber: (column: number) => boolean): void {
  const cells = "cells" in row ? row.cells : row.partial;
  for (const [column, number] of row.numbers ?? []) if (cells && isNumber(column)) cells[column] = number;
}
