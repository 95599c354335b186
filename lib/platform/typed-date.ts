// Dates as people in the US type them.
import { calendarDate } from "./http/validation";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = `(${MONTHS.join("|")})[a-z]*\\.?`;
const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";
const YEAR = "(\\d{4}|\\d{2})";
const MONTH_FIRST = `${MONTH}[\\s-]*${DAY}(?:,\\s*|[\\s-]+)${YEAR}`;
const DAY_FIRST = `${DAY}[\\s-]*${MONTH}(?:,\\s*|[\\s-]*)${YEAR}`;
/** Matches dates with the name of the month, within a text. */
const NAMED = new RegExp(`\\b(?:${MONTH_FIRST}|${DAY_FIRST})\\b`, "gi");

/**
 * Returns the dates that a text can mean, as `YYYY-MM-DD`: `11/8/1979`, `11-8-79`, `1979-11-08`, `11081979`, `Nov 8, 1979`, `8 November 1979`. Months
 * come before days. A year of two digits can be in either century, this one first.
 */
export function readTypedDates(text: string): string[] {
  const trimmed = text.trim();
  const named = [...trimmed.matchAll(NAMED)].find(([match]) => match.length === trimmed.length);
  if (named) return datesOf(namedParts(named));
  const [, year, month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(trimmed) ?? [];
  if (year) return datesOf({ year, month, day });
  const [, first, second, last] =
    /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})$/.exec(trimmed) ?? /^(\d\d)(\d\d)(\d{4}|\d{2})$/.exec(trimmed) ?? [];
  if (last) {
    const american = datesOf({ year: last, month: first, day: second });
    if (american.length > 0 || trimmed.length !== 8) return american;
  }
  const [, whole, middle, end] = /^(\d{4})(\d\d)(\d\d)$/.exec(trimmed) ?? [];
  return whole ? datesOf({ year: whole, month: middle, day: end }) : [];
}

/** How many years a date with a two-digit year can be away from today. */
const NEAR_YEARS = 49;
const OLDEST_BIRTH = "1870-01-01";
const NOT_A_DATE = "Enter a date as month/day/year, such as 5/17/1980.";

/**
 * Reads a text as one date, `YYYY-MM-DD`. Expands a two-digit year to one within 49 years of today, and rejects it if that is impossible.
 *
 * @param today `YYYY-MM-DD`
 */
export function readDate(text: string, today: string): { value: string } | { problem: string } {
  const dates = readTypedDates(text);
  const [first, second] = dates;
  if (!first) return { problem: NOT_A_DATE };
  if (!second) return { value: first };
  const yearOf = (date: string) => Number(date.slice(0, 4));
  const near = dates.find((date) => Math.abs(yearOf(date) - yearOf(today)) <= NEAR_YEARS);
  return near ? { value: near } : { problem: "Enter all four digits of the year." };
}

/**
 * Reads a date of birth, `YYYY-MM-DD`. A two-digit year is in this century unless the date would be in the future.
 *
 * @param today `YYYY-MM-DD`
 */
export function readBirthDate(text: string, today: string): { value: string } | { problem: string } {
  const dates = readTypedDates(text);
  const past = dates.find((date) => date <= today);
  if (past === undefined && dates.length > 0) return { problem: "A date of birth can't be in the future." };
  return past !== undefined && past >= OLDEST_BIRTH ? { value: past } : { problem: NOT_A_DATE };
}

/** Separates the dates with the name of a month from the rest of a text. */
export function extractNamedDates(text: string): { dates: string[][]; rest: string } {
  const dates: string[][] = [];
  const rest = text.replace(NAMED, (...match) => {
    const found = datesOf(namedParts(match as unknown as RegExpMatchArray));
    if (found.length === 0) return match[0];
    dates.push(found);
    return " ";
  });
  return { dates, rest };
}

interface Parts {
  year: string | undefined;
  month: string | undefined;
  day: string | undefined;
}

function namedParts([, month, day, year, otherDay, otherMonth, otherYear]: RegExpMatchArray): Parts {
  const name = (month ?? otherMonth ?? "").toLowerCase();
  return { year: year ?? otherYear, month: String(MONTHS.indexOf(name) + 1), day: day ?? otherDay };
}

function datesOf({ year = "", month = "", day = "" }: Parts): string[] {
  const years = year.length === 2 ? [`20${year}`, `19${year}`] : [year];
  return years
    .map((whole) => `${whole}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`)
    .filter((date) => calendarDate.safeParse(date).success);
}
