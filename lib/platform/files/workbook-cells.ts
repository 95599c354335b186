/** Built-in number formats that show a date (ECMA-376, 18.8.30). */
const DATE_FORMATS = new Set([14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 57, 58]);
const DAY_MS = 86_400_000;
/** Maximum in Excel. A longer code would make longer texts. */
const MAX_CODE_LENGTH = 255;

/** How a style shows numbers: as dates, or digit by digit with one of its sections. null shows them unchanged. */
export type NumberFormat = "date" | readonly Section[] | null;

/** A section of a format that shows a number digit by digit. */
interface Section {
  /** The numbers it applies to. null applies to all others. */
  limit: { sign: string; value: number } | null;
  /** `text` is a separator, or the filler of a place without a digit. */
  places: { isDigit: boolean; text: string }[];
}

/**
 * Reads the format of a style.
 *
 * @param code the format code, or undefined if `id` is a built-in format
 */
export function readNumberFormat(id: number, code: string | undefined): NumberFormat {
  if (isDateFormat(id, code)) return "date";
  return code === undefined || code.length > MAX_CODE_LENGTH ? null : readSections(code);
}

/** Tokens of a format code: a string, an escaped character, a digit, a separator, the end of a section, anything else. */
const PARTS = /"([^"]*)"|\\(.)|_.|\*.|@|\[([^\]]*)\]|([0#?])|([-+(): ])|(;)|(.)/gs;
const SHOWN_WITHOUT_DIGIT: Record<string, string> = { "0": "0", "#": "", "?": " " };

/** Reads the sections of a format such as `00000`, `000-00-0000` or `[<=9999999]###-####;(###) ###-####`. Returns null for any other. */
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

/** Returns whether a format shows a date. */
function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return DATE_FORMATS.has(id);
  // Ignore strings, escaped characters, colors and conditions.
  const signs = code.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, "").toLowerCase();
  return /[dy]/.test(signs);
}

/** Returns the column of a cell reference, counted from 0: `B7` is 1. Returns null if the reference is invalid. */
export function parseColumn(reference: string): number | null {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference)?.[0];
  if (!letters) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/**
 * Writes a number of a workbook as text. Of its format, only dates, leading zeros and separators are applied: amounts have no currency,
 * grouping or rounding. Returns null for more than 15 digits, which Excel rounds.
 */
export function formatNumber(text: string, format: NumberFormat = null, from1904 = false): string | null {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return null;
  if (format === "date") return formatDate(value, from1904);
  if (Math.abs(value) >= 1e15) return null;
  const exact = Number(value.toPrecision(15));
  return formatDigits(exact, format) ?? String(exact);
}

/** Applies a format digit by digit. A format with a single digit has no leading zeros and may be an amount, so it is ignored. */
function formatDigits(value: number, sections: readonly Section[] | null): string | null {
  if (!Number.isInteger(value) || value < 0) return null;
  // The third section is for zero. If it is empty, zero is hidden.
  const zero = value === 0 ? sections?.[2] : undefined;
  if (zero?.places.length === 0) return "";
  const section = zero ?? sections?.find(({ limit }) => limit === null || isWithin(value, limit));
  const places = section?.places ?? [];
  if (places.filter(({ isDigit }) => isDigit).length < 2) return null;
  const digits = [...String(value)];
  const first = places.findIndex(({ isDigit }) => isDigit);
  return places.reduceRight((shown, { isDigit, text }, at) => {
    const shownDigits = at === first ? digits.splice(0).join("") : isDigit ? digits.pop() : text;
    return (shownDigits || text) + shown;
  }, "");
}

function isWithin(number: number, { sign, value }: { sign: string; value: number }): boolean {
  if (number === value) return ["<=", "=", ">="].includes(sign);
  return sign.includes(number < value ? "<" : ">");
}

/** Excel counts a February 29, 1900, so the days before it are off by one. */
function formatDate(day: number, from1904: boolean): string | null {
  const whole = Math.floor(day);
  const since = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, whole < 60 ? 31 : 30);
  const time = new Date(since + whole * DAY_MS);
  return whole < 0 || Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9999
    ? null
    : time.toISOString().slice(0, 10);
}
