/** Formats of numbers that show a date, of those every workbook has (ECMA-376, 18.8.30). */
const DATE_FORMATS = new Set([14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 57, 58]);
const DAY_MS = 86_400_000;
/** Excel allows no longer one. A number shown by a long code is long itself. */
const LONGEST_CODE = 255;

/** How a style of a workbook shows numbers: as dates, or digit by digit in one of its sections; null: as they are. */
export type NumberFormat = "date" | readonly Section[] | null;

/** A part of a format that shows a number digit by digit. */
interface Section {
  /** Which numbers it is for; null: all others. */
  limit: { sign: string; value: number } | null;
  /** `text` is a separator, or what a place without a digit shows. */
  places: { isDigit: boolean; text: string }[];
}

/** @param code the format of a workbook's own; undefined where `id` names one that every workbook has */
export function readNumberFormat(id: number, code: string | undefined): NumberFormat {
  if (isDateFormat(id, code)) return "date";
  return code === undefined || code.length > LONGEST_CODE ? null : readSections(code);
}

/** Parts of a format: a text, an escaped sign, a place for a digit, a separator, the end of a section, anything else. */
const PARTS = /"([^"]*)"|\\(.)|_.|\*.|@|\[([^\]]*)\]|([0#?])|([-+(): ])|(;)|(.)/gs;
const SHOWN_WITHOUT_DIGIT: Record<string, string> = { "0": "0", "#": "", "?": " " };

/** The sections of a format such as `00000`, `000-00-0000` or `[<=9999999]###-####;(###) ###-####`; null for any other. */
function readSections(code: string): Section[] | null {
  let section: Section = { limit: null, places: [] };
  const sections = [section];
  for (const [, quoted, escaped, inBrackets, place, separator, end, other] of code.matchAll(PARTS)) {
    const text = quoted ?? escaped ?? separator;
    const [, sign, value] = /^(<=|>=|<>|<|>|=)(\d+)$/.exec(inBrackets ?? "") ?? [];
    if (other !== undefined) return null;
    if (sign !== undefined) section.limit = { sign, value: Number(value) };
    if (place !== undefined) section.places.push({ isDigit: true, text: SHOWN_WITHOUT_DIGIT[place] ?? "" });
    if (text !== undefined) section.places.push({ isDigit: false, text });
    if (end !== undefined) {
      section = { limit: null, places: [] };
      sections.push(section);
    }
  }
  return sections;
}

/** Whether a format shows its number as a date. */
function isDateFormat(id: number, code: string | undefined): boolean {
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
 * A number of a workbook as text; null where Excel has rounded it, as it does with more than 15 digits. Only dates and the
 * leading zeros and separators of a format are kept: amounts are given without currency, grouping or rounding.
 */
export function numberText(text: string, format: NumberFormat = null, from1904 = false): string | null {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return null;
  if (format === "date") return dateText(value, from1904);
  if (Math.abs(value) >= 1e15) return null;
  const exact = Number(value.toPrecision(15));
  return digitsText(exact, format) ?? String(exact);
}

/** A number as the places of its format show it. A single place shows no leading zeros, and may be that of an amount. */
function digitsText(value: number, sections: readonly Section[] | null): string | null {
  if (!Number.isInteger(value) || value < 0) return null;
  // The third section shows zero; an empty one hides it.
  const zero = value === 0 ? sections?.[2] : undefined;
  if (zero?.places.length === 0) return "";
  const section = zero ?? sections?.find(({ limit }) => limit === null || isWithin(value, limit));
  const places = section?.places ?? [];
  if (places.filter(({ isDigit }) => isDigit).length < 2) return null;
  const digits = [...String(value)];
  const first = places.findIndex(({ isDigit }) => isDigit);
  return places.reduceRight((shown, { isDigit, text }, at) => {
    const own = at === first ? digits.splice(0).join("") : isDigit ? digits.pop() : text;
    return (own || text) + shown;
  }, "");
}

function isWithin(number: number, { sign, value }: { sign: string; value: number }): boolean {
  if (number === value) return ["<=", "=", ">="].includes(sign);
  return sign.includes(number < value ? "<" : ">");
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
