import { extractNamedDates, readTypedDates } from "@/lib/platform/typed-date";

/** A part of a search, which a patient matches in one of several ways. */
export type SearchTerm = NameTerm | NumberTerm;

/** A word without digits, in lower case. */
export interface NameTerm {
  /** The beginning of a first or last name. */
  name: string;
  /** What a payer's name may begin with: this word, alone or after up to three words before it. */
  carriers: string[];
}

/** A text with digits. */
export interface NumberTerm {
  /** Dates of birth, `YYYY-MM-DD`. */
  dates: string[];
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
const PHONE = /(?<![\w-])(?:\+?1[ .-]*)?(?:\(\d{3}\)|\d{3})[ .-]*\d{3}[ .-]*\d{4}(?![\w-])/g;

/** Reads what someone at the front desk types to find a patient: names, payers, dates, phone numbers, and IDs in any spelling. */
export function readSearch(search: string): SearchTerm[] {
  const { dates, rest } = extractNamedDates(search);
  const numbers: SearchTerm[] = dates.map((found) => ({ dates: found, member: "", phone: "", id: null }));
  // Joined, because the digits can also be a member ID.
  const words = rest.replace(PHONE, (number) => number.replace(/[\s()]+/g, "")).split(/[\s,;]+/);
  const run: string[] = [];
  for (const word of words) {
    const lower = word.toLowerCase();
    if (/\d/.test(word)) numbers.push(readNumber(lower));
    else if (lower !== "") run.push(lower);
  }
  return [...run.map((name, at) => ({ name, carriers: carriersOf(run, at) })), ...numbers].slice(0, MAX_TERMS);
}

/** Returns the phrases that end with the word at this place. A payer's name may begin with any of them. */
function carriersOf(run: readonly string[], at: number): string[] {
  const first = Math.max(0, at - MAX_CARRIER_WORDS + 1);
  return Array.from({ length: at - first + 1 }, (_, words) => run.slice(at - words, at + 1).join(" "));
}

function readNumber(word: string): NumberTerm {
  const digits = word.replace(/\D/g, "");
  const isPhone = /^[\d+.-]+$/.test(word) && /^1?\d{10}$/.test(digits);
  return {
    dates: readTypedDates(word),
    member: word.replace(/[^a-z0-9]/g, ""),
    phone: isPhone ? digits.slice(-10) : "",
    id: /^\d{1,15}$/.test(word) ? Number(word) : null,
  };
}
