/** Begins a formula in a spreadsheet: what a patient's name could make it compute is shown as text instead. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows as CSV (RFC 4180), for spreadsheets: in UTF-8 with its mark, the names of the columns first. */
export function toCsv<R>(rows: readonly R[], columns: readonly [name: string, value: (row: R) => unknown][]): string {
  const lines = [
    columns.map(([name]) => cell(name)),
    ...rows.map((row) => columns.map(([, value]) => cell(value(row)))),
  ];
  return `\uFEFF${lines.map((cells) => cells.join(",")).join("\r\n")}\r\n`;
}
