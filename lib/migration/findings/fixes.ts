import { countCharacters, RELATIONSHIPS } from "@/lib/insurance/fields/limits";
import { RANK_WORDS } from "@/lib/insurance/fields/ranks";
import type { Fix } from "@/lib/migration/findings/checks";
import { isCalendarDate, type RawRecord, textOf } from "@/lib/migration/record/raw-record";

/** Common spellings of the three ranks. */
// cspell:ignore primry secondry secundary tertary tertiery
const RANK_SPELLINGS: readonly (readonly string[])[] = [
  ["1", "1st", "first", "p", "pri", "prim", "prime", "primry", "main"],
  ["2", "2nd", "second", "s", "sec", "secondry", "secundary"],
  ["3", "3rd", "third", "t", "ter", "tert", "tertary", "tertiery"],
];

/** Corrects the spelling of a rank, unless another insurance of the patient has it or would get it. */
export function fixRank(rank: string, others: readonly string[]): Fix | null {
  const word = readRank(rank);
  if (!word || others.some((other) => readRank(other) === word)) return null;
  return { values: { rank: word }, why: `“${rank}” is another spelling of ${word}.` };
}

/** Returns the rank that a text means, or undefined. */
export function readRank(rank: string): string | undefined {
  const at = RANK_SPELLINGS.findIndex((spellings) => spellings.includes(rank.replace(/[.\s]/g, "")));
  return RANK_WORDS[at] ?? RANK_WORDS.find((word) => word === rank);
}

/** The practice's payers by name, in lower case and trimmed. Several may share a name. */
export type KnownCompanies = ReadonlyMap<string, readonly KnownCompany[]>;

/** A payer of the practice. Its id is that of the export; null if the export doesn't have it. */
export interface KnownCompany {
  id: number | null;
  carrier: string;
}

/** Proposes the only payer whose name differs by a single typo. */
export function fixCarrier(name: string, companies: KnownCompanies): Fix | null {
  const near = [...companies].filter(([known]) => isOneTypoAway(name, known));
  const [only] = near;
  if (!only || near.length > 1 || !isTellingWord(name, only[0])) return null;
  const [company, ...namesakes] = only[1];
  if (!company) return null;
  const { id, carrier } = company;
  // The name alone doesn't tell payers of the same name apart.
  const values = namesakes.length > 0 || id === null ? { carrier } : { carrier, insurance_company: id };
  return { values, why: `One letter differs from ${carrier}.` };
}

/** Returns whether the differing words are long enough to be a typo: “BCBS of NY” is not “BCBS of NJ”. */
function isTellingWord(a: string, b: string): boolean {
  const [left, right] = [a.split(/\s+/), b.split(/\s+/)];
  const different = [...left.filter((word) => !right.includes(word)), ...right.filter((word) => !left.includes(word))];
  return different.every((word) => !/\d/.test(word) && word.replace(/[^\p{L}]/gu, "").length > 3);
}

/** Returns whether two texts differ by one letter added, removed, replaced or swapped with its neighbor. */
export function isOneTypoAway(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1 || short.length < 4) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return at < short.length;
  return short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2);
}

/** Corrects dates without leading zeros, or in American order if unambiguous. */
export function fixDate(insurance: RawRecord, fields: readonly string[]): Fix | null {
  const mended = fields.map((field) => [field, readDate(textOf(insurance[field]))] as const);
  if (mended.some(([, date]) => date === null)) return null;
  return { values: Object.fromEntries(mended), why: "The same day, written as YYYY-MM-DD." };
}

/** Returns the date that a text means, `YYYY-MM-DD`; null if it is ambiguous or invalid. */
export function readDate(text: string): string | null {
  const pad = (part: string | undefined) => String(part).padStart(2, "0");
  const [, year, month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text) ?? [];
  if (year) return validOrNull(`${year}-${pad(month)}-${pad(day)}`);
  const [, whole, middle, end] = /^((?:19|20)\d{2})(\d{2})(\d{2})$/.exec(text) ?? [];
  if (whole) return validOrNull(`${whole}-${middle}-${end}`);
  const [, first, second, last] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? [];
  // 5/17/1980 is unambiguous, 5/6/1980 is not.
  if (!last || (Number(second) <= 12 && first !== second)) return null;
  return validOrNull(`${last}-${pad(first)}-${pad(second)}`);
}

const validOrNull = (date: string) => (isCalendarDate(date) ? date : null);

/** Corrects amounts with a currency sign, spaces or thousands separators. */
export function fixAmount(insurance: RawRecord, fields: readonly string[]): Fix | null {
  const mended = fields.map((field) => [field, readAmount(textOf(insurance[field]))] as const);
  if (mended.some(([, amount]) => amount === null)) return null;
  return { values: Object.fromEntries(mended), why: "The same amount, written as a plain decimal." };
}

/** Returns the amount that a text means, or null. */
export function readAmount(text: string): string | null {
  // The patterns below take quadratic time, so long texts are rejected first.
  if (text.length > 40) return null;
  const bare = text.replace(/^(-?)\s*(?:\$|USD)\s*/i, "$1").replace(/\s*(?:\$|USD|dollars)$/i, "");
  const plain = /^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(bare) ? bare.replaceAll(",", "") : bare;
  const [, sign = "", whole = "", cents = ""] = /^(-?)(\d{1,8})(?:\.(\d{0,2}))?$/.exec(plain) ?? [];
  return whole === "" ? null : `${sign}${whole.replace(/^0+(?=\d)/, "")}.${cents.padEnd(2, "0")}`;
}

/** Shortens texts that are too long only because of their spaces. */
export function fixText(insurance: RawRecord, fields: readonly (readonly [string, number])[]): Fix | null {
  const mended = fields.map(([field, most]) => [field, textOf(insurance[field]).replace(/\s+/g, " "), most] as const);
  if (mended.some(([, text, most]) => countCharacters(text) > most)) return null;
  const values = Object.fromEntries(mended.map(([field, text]) => [field, text]));
  return { values, why: "The same text without the spaces that are too many." };
}

/** Corrects the spelling of a relationship; empty if the patient is the insured person. */
export function fixRelationship(text: string): Fix | null {
  const word = text.toLowerCase();
  const known = RELATIONSHIPS.find((relationship) => relationship.toLowerCase() === word);
  if (known) return { values: { relationship_to_insured: known }, why: `Written as ${known}.` };
  if (["self", "patient", "insured", "same"].includes(word)) {
    return { values: { relationship_to_insured: null }, why: "Empty means that the patient is the insured." };
  }
  if (["husband", "wife"].includes(word)) {
    return { values: { relationship_to_insured: "Spouse" }, why: `A ${word} is a Spouse.` };
  }
  if (["son", "daughter"].includes(word)) {
    return { values: { relationship_to_insured: "Child" }, why: `A ${word} is a Child.` };
  }
  return null;
}
