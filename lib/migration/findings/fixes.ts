import { countCharacters, PAYMENT_PROGRAMS, RANK_WORDS, RELATIONSHIPS } from "@/lib/insurance/fields/limits";
import { DETAIL_DEFAULTS } from "@/lib/insurance/patients/schema";
import type { KnownCompanies } from "@/lib/migration/record/mapping";
import { isBlank, isCalendarDate, isRecord, type RawRecord, textOf, valueAt } from "@/lib/migration/record/raw-record";
import type { Fix } from "./checks";
import type { CodedFault, Fault } from "./read-patient";

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

/** Returns the rank that a string stands for, or undefined. */
export function readRank(rank: string): string | undefined {
  const at = RANK_SPELLINGS.findIndex((spellings) => spellings.includes(rank.replace(/[.\s]/g, "")));
  return RANK_WORDS[at] ?? RANK_WORDS.find((word) => word === rank);
}

/** Proposes the only payer whose name differs by a single typo. */
export function fixCarrier(name: string, companies: KnownCompanies): Fix | null {
  const near = [...companies].filter(([known]) => isOneTypoAway(name, known));
  const [only] = near;
  if (!only || near.length > 1 || !isLikelyTypo(name, only[0])) return null;
  const [company, ...namesakes] = only[1];
  if (!company) return null;
  const { id, carrier } = company;
  // If several payers share the name, staff choose one.
  const values = namesakes.length > 0 || id === null ? { carrier } : { carrier, insurance_company: id };
  return { values, why: `Differs from ${carrier} by one letter.` };
}

/** Returns whether the differing words are long enough to be a typo: “BCBS of NY” is not “BCBS of NJ”. */
function isLikelyTypo(a: string, b: string): boolean {
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
  const fixed = fields.map((field) => [field, readDate(textOf(insurance[field]))] as const);
  if (fixed.some(([, date]) => date === null)) return null;
  return { values: Object.fromEntries(fixed), why: "The same date in standard format." };
}

/** Returns the date that a string stands for as `YYYY-MM-DD`; null if it is ambiguous or invalid. */
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
  const fixed = fields.map((field) => [field, readAmount(textOf(insurance[field]))] as const);
  if (fixed.some(([, amount]) => amount === null)) return null;
  return { values: Object.fromEntries(fixed), why: "The same amount without symbols or commas." };
}

/** Returns the amount that a string stands for, or null. */
export function readAmount(text: string): string | null {
  // The patterns below take quadratic time, so long texts are rejected first.
  if (text.length > 40) return null;
  const bare = text.replace(/^(-?)\s*(?:\$|USD)\s*/i, "$1").replace(/\s*(?:\$|USD|dollars)$/i, "");
  const plain = /^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(bare) ? bare.replaceAll(",", "") : bare;
  const [, sign = "", whole = "", cents = ""] = /^(-?)(\d{1,8})(?:\.(\d{0,2}))?$/.exec(plain) ?? [];
  return whole === "" ? null : `${sign}${whole.replace(/^0+(?=\d)/, "")}.${cents.padEnd(2, "0")}`;
}

/** Removes extra spaces from texts that are too long, if that is enough. */
export function fixText(insurance: RawRecord, fields: readonly (readonly [string, number])[]): Fix | null {
  const fixed = fields.map(([field, limit]) => [field, textOf(insurance[field]).replace(/\s+/g, " "), limit] as const);
  if (fixed.some(([, text, limit]) => countCharacters(text) > limit)) return null;
  const values = Object.fromEntries(fixed.map(([field, text]) => [field, text]));
  return { values, why: "The same text without extra spaces." };
}

/** Corrects the spelling of a relationship. Blank means that the patient is the subscriber. */
export function fixRelationship(text: string): Fix | null {
  const word = text.toLowerCase();
  const known = RELATIONSHIPS.find((relationship) => relationship.toLowerCase() === word);
  if (known) return { values: { relationship_to_insured: known }, why: `Written as ${known}.` };
  if (["self", "patient", "insured", "same"].includes(word)) {
    return { values: { relationship_to_insured: null }, why: "Blank means that the patient is the subscriber." };
  }
  if (["husband", "wife"].includes(word)) {
    return { values: { relationship_to_insured: "Spouse" }, why: `${word} means Spouse.` };
  }
  if (["son", "daughter"].includes(word)) {
    return { values: { relationship_to_insured: "Child" }, why: `${word} means Child.` };
  }
  return null;
}

/** Proposes a fix for all fields of a finding; null if one of them has none. */
export function fixFaults(owner: RawRecord, group: readonly CodedFault[]): Fix | null {
  const values: Record<string, unknown> = {};
  const reasons = new Set<string>();
  for (const { fault, place, code } of group) {
    const [top, ...below] = place.path;
    const fixed = fixValue({ fault, place, code }, valueAt(owner, place.path), owner);
    if (!fixed || typeof top !== "string") return null;
    values[top] = withValue(top in values ? values[top] : owner[top], below, fixed.value);
    reasons.add(fixed.why);
  }
  return { values, why: [...reasons].join(" ") };
}

/** Returns a copy of a value with another value at the end of a path. */
function withValue(node: unknown, [key, ...below]: Fault["path"], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(node)) return node.map((entry, at) => (at === key ? withValue(entry, below, value) : entry));
  const fields = isRecord(node) ? node : {};
  return { ...fields, [key]: withValue(fields[key], below, value) };
}

type FixedValue = { value: unknown; why: string } | null;

const DEFAULTS: Readonly<Record<string, unknown>> = { ...DETAIL_DEFAULTS, middle_name: "" };

/** Returns the only likely value; null if there are several, or none. */
function fixValue({ fault, place, code }: CodedFault, value: unknown, owner: RawRecord): FixedValue {
  const field = String(place.path.at(-1) ?? "");
  const text = textOf(value);
  switch (code) {
    case "text_expected":
      return fixNumber(field, value);
    case "text_unstorable": {
      if (typeof value !== "string" || !value.isWellFormed()) return null;
      return { value: value.replaceAll("\u0000", ""), why: "The same text without NUL characters." };
    }
    case "sex_unknown":
      return fixSex(text);
    case "payment_program_unknown":
      return fixWord(text, PAYMENT_PROGRAMS);
    case "patient_id_invalid":
    case "insurance_id_invalid":
      return fixId(value);
    case "company_id_invalid":
      if ((text === "0" || text === "") && !isBlank(owner.carrier)) {
        return { value: null, why: "No payer has this ID. The payer's name is kept." };
      }
      return fixId(value);
    case "past_rank_invalid": {
      const rank = readRank(text.toLowerCase());
      return rank ? { value: rank, why: `“${text}” is another spelling of ${rank}.` } : null;
    }
    case "past_date_invalid": {
      const date = readDate(text);
      return date ? { value: date, why: "The same date in standard format." } : null;
    }
    case "past_decimal_invalid": {
      const amount = readAmount(text);
      return amount ? { value: amount, why: "The same amount without symbols or commas." } : null;
    }
    case "past_relationship_unknown": {
      const fix = fixRelationship(text) ?? fixRelationshipWord(text);
      return fix && { value: fix.values.relationship_to_insured, why: fix.why };
    }
    case "patient_field_invalid":
      if (fault.kind === "absent" && place.path.length === 1 && field in DEFAULTS) {
        return { value: DEFAULTS[field], why: "The default value of this field." };
      }
      return fault.values ? fixWord(text, fault.values) : null;
    case "insurance_field_invalid":
      return field === "insurance_plan"
        ? { value: null, why: "The conversion keeps the plan's name, not its ID." }
        : null;
    default:
      return null;
  }
}

const fixRelationshipWord = (text: string) => {
  const word = fixWord(text, RELATIONSHIPS);
  return word && { values: { relationship_to_insured: word.value }, why: word.why };
};

function fixNumber(field: string, value: unknown): FixedValue {
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  // A number with this many digits has lost precision.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return null;
  const text = String(value);
  if (/(^|_)zip$/.test(field) && /^\d{3,4}$/.test(text)) {
    return { value: text.padStart(5, "0"), why: "The same ZIP code as text, with its leading zeros." };
  }
  return /e/i.test(text) ? null : { value: text, why: "The same value, written as text." };
}

function fixSex(text: string): FixedValue {
  const words: Record<string, string> = { f: "Female", w: "Female", woman: "Female", m: "Male", man: "Male" };
  const others: Record<string, string> = { o: "Other", u: "Unknown", unk: "Unknown", "": "Unknown" };
  const known = ["Female", "Male", "Other", "Unknown"].find((sex) => sex.toLowerCase() === text.toLowerCase());
  const value = known ?? words[text.toLowerCase()] ?? others[text.toLowerCase()];
  if (!value) return null;
  return { value, why: text === "" ? "Blank means Unknown." : `Written as ${value}.` };
}

function fixWord(text: string, words: readonly unknown[]): FixedValue {
  const bare = (word: unknown) =>
    String(word)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, "");
  const near = words.filter((word) => bare(word) === bare(text));
  return text !== "" && near.length === 1 ? { value: near[0], why: `Written as ${near[0]}.` } : null;
}

/** Converts an ID written as text, unless a number can't hold its digits. */
function fixId(value: unknown): FixedValue {
  const text = typeof value === "string" ? value.trim() : "";
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(id) && id > 0 ? { value: id, why: "The same ID, written as a number." } : null;
}
