/** Formats of numbers that show a date, of those every workbook has (ECMA-376, 18.8.30). */
const DATE_FORMATS = new Set([14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 57, 58]);
const DAY_MS = 86_400_000;

/** Whether a format shows its number as a date. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return DATE_FORMATS.has(id);
  // Without texts in quotes, escaped signs, colors and conditions.
  const signs = code.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, "").toLowerCase();
  return /[dy]/.test(signs);
}

/** The place of a cell among the columns, from 0: `B7` is 1; null where it names none. */
export function columnOf(reference: string): number | null {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference)?.[0];
  if (!letters) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/**
 * A number of a workbook as text; null where Excel has rounded it, as it does with more than 15 digits.
 *
 * @param date the number is a day, counted from 1900 or 1904
 */
export function numberText(text: string, date: { from1904: boolean } | null): string | null {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return null;
  if (date) return dateText(value, date.from1904);
  if (Math.abs(value) >= 1e15) return null;
  return String(Number(value.toPrecision(15)));
}

/** Excel has a February 29, 1900: days before it are one off. */
function dateText(day: number, from1904: boolean): string | null {
  const whole = Math.floor(day);
  const since = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, whole < 60 ? 31 : 30);
  const time = new Date(since + whole * DAY_MS);
  return whole < 0 || Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9999
    ? null
    : time.toISOString().slice(0, 10);
}
