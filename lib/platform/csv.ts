import { setImmediate } from "node:timers/promises";
import { chunks } from "./chunks";

/** Begins a formula in a spreadsheet: what a patient's name could make it compute is shown as text instead. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** So many rows take a few milliseconds. */
const ROWS_AT_ONCE = 1_000;

/**
 * Writes rows as CSV (RFC 4180), for spreadsheets: in UTF-8 with its mark, the names of the columns first. An export may have
 * 100,000 rows, which takes seconds: other requests get their turn in between.
 */
export async function toCsv<R>(
  rows: readonly R[],
  columns: readonly [name: string, value: (row: R) => unknown][],
): Promise<string> {
  const lines = [columns.map(([name]) => cell(name)).join(",")];
  for (const part of chunks(rows, ROWS_AT_ONCE)) {
    for (const row of part) lines.push(columns.map(([, value]) => cell(value(row))).join(","));
    await setImmediate();
  }
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}
