import { setImmediate } from "node:timers/promises";
import { chunks } from "@/lib/platform/db/sql";

/** Starts a formula in a spreadsheet. Such texts get a quote, so that a patient's name can't run one. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** These rows take a few milliseconds. */
const ROWS_PER_TURN = 1_000;

/**
 * Writes rows as CSV for spreadsheets (RFC 4180), in UTF-8 with a byte order mark and a header row. An export of 100,000 rows takes seconds,
 * so other requests get their turn in between.
 */
export async function toCsv<R>(
  rows: readonly R[],
  columns: readonly [name: string, value: (row: R) => unknown][],
): Promise<string> {
  const lines = [columns.map(([name]) => cell(name)).join(",")];
  for (const part of chunks(rows, ROWS_PER_TURN)) {
    for (const row of part) lines.push(columns.map(([, value]) => cell(value(row))).join(","));
    await setImmediate();
  }
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}
