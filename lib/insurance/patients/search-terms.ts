import { extractNamedDates, readTypedDates } from "@/lib/platform/typed-date";

/** A part of a search, which a patient matches in one of several ways. */
export type SearchTerm = NameTerm | NumberTerm;

/** A word without digits, in lower case. */
export interface NameTerm {
  /** Its parts between hyphens. Each is the beginning of a word of the patient's name. */
  names: string[];
  /** What a payer's name may begin with: this word, alone or after up to three words before it. */
  carriers: string[];
}

/** A text with digits. */
export interface NumberTerm {
  /** Dates of birth, `YYYY-MM-DD`. */
  dates: string[];
  /** A year of birth. Null if it can't be one. */
  year: number | null;
  /** The beginning or the end of a member ID: lower-case letters and digits. Empty if it can't be one. */
  member: string;
  /** The ten digits of a phone number. Empty if it can't be one. */
  phone: string;
  /** Null if it can't be one. */
  id: number | null;
}

/** More terms of a search are ignored. */
const MAX_TERMS = 6;
/** How many consecutive words can begin a payer's name. */
const MAX_CARRIER_WORDS = 4;
const OLDEST_YEAR = 1900;
const PHONE = /(?<![\w-])(?:\+?1[ .-]*)?(?:\(\d{3}\)|\d{3})[ .-]*\d{3}[ .-]*\d{4}(?![\w-])/g;

/**
 * Reads what someone at the front desk types to find a patient: names, payers, dates, years, phone numbers, and IDs in any spelling.
 *
 * @param thisYear later years aren't years of birth
 */
export function readSearch(search: string, thisYear: number): SearchTerm[] {
  const { dates, rest } = extractNamedDates(search);
  const numbers: SearchTerm[] = dates.map((found) => ({ dates: found, year: null, member: "", phone: "", id: null }));
  // Joined, because the digits can also be a member ID.
  const words = rest.replace(PHONE, (number) => number.replace(/[\s()]+/g, "")).split(/[\s,;]+/);
  const run: string[] = [];
  for (const word of words) {
    const lower = word.toLowerCase();
    if (/\d/.test(word)) numbers.push(readNumber(lower, thisYear));
    else if (lower !== "") run.push(lower);
  }
  return [...run.map((word, at) => ({ names: readNames(word), carriers: carriersOf(run, at) })), ...numbers].slice(
    0,
    MAX_TERMS,
  );
}

/** Hyphens alone stay one part, which no name begins with. */
function readNames(word: string): string[] {
  const parts = word.split("-").filter((part) => part !== "");
  return parts.length > 0 ? parts.slice(0, MAX_TERMS) : [word];
}

/** Returns the phrases that end with the word at this place. A payer's name may begin with any of them. */
function carriersOf(run: readonly string[], at: number): string[] {
  const first = Math.max(0, at - MAX_CARRIER_WORDS + 1);
  return Array.from({ length: at - first + 1 }, (_, words) => run.slice(at - words, at + 1).join(" "));
}

function readNumber(word: string, thisYear: number): NumberTerm {
  const year = /^\d{4}$/.test(word) ? Number(word) : 0;
  const digits = word.replace(/\D/g, "");
  const isPhone = /^[\d+.-]+$/.test(word) && /^1?\d{10}$/.test(digits);
  return {
    dates: readTypedDates(word),
    year: year >= OLDEST_YEAR && year <= thisYear ? year : null,
    member: word.replace(/[^a-z0-9]/g, ""),
    phone: isPhone ? digits.slice(-10) : "",
    id: /^\d{1,15}$/.test(word) ? Number(word) : null,
  };
}
