import type { FieldErrors } from "@/lib/platform/errors";
import { keysOf } from "@/lib/platform/objects";
import type { InsuranceField, InsuranceFields } from "./fields";
import { isMaskedSsn, maskSsn } from "./masked-ssn";

/** A normalized entry, or the problem with it. */
export type Entry = { value: string } | { problem: string };

type Rule = (typed: string, today: string) => Entry;

/**
 * Rules for the fields that the API accepts as free text. Each rule normalizes an entry by staff, or says what to enter. They
 * don't apply to API clients, whose values must only meet the contract.
 */
const RULES: Partial<Record<InsuranceField, Rule>> = {
  insured_person_dob: dateOfBirth,
  insured_person_ssn: socialSecurityNumber,
  insured_person_gender: gender,
  insured_person_state: state,
  insured_person_zip: zipCode,
  state,
  zip: zipCode,
  phone: phoneNumber,
  extension: (typed) => (/^\d{1,6}$/.test(typed) ? { value: typed } : { problem: "Enter up to 6 digits." }),
};

function isInsuranceField(field: string): field is InsuranceField {
  return Object.hasOwn(RULES, field);
}

/**
 * Normalizes one field that staff entered.
 *
 * @param today `YYYY-MM-DD`
 */
export function readEntry(field: string, typed: string, today: string): Entry {
  const rule = isInsuranceField(field) ? RULES[field] : undefined;
  const text = typed.trim();
  return rule && text !== "" ? rule(text, today) : { value: typed };
}

/**
 * Normalizes the fields of an insurance that staff entered. Values that are already stored are left unchanged even if they
 * are invalid, so that they don't block changes to other fields. A masked SSN stands for the stored one.
 *
 * @param known the stored record, or the records that the values may come from, the likeliest first
 * @param today `YYYY-MM-DD`
 */
export function readEntries<T extends Partial<InsuranceFields>>(
  fields: T,
  known: readonly Partial<InsuranceFields>[],
  today: string,
): { fields: T; problems: FieldErrors | null } {
  const read: Partial<Record<InsuranceField, string>> = {};
  const problems: FieldErrors = {};
  for (const field of keysOf(RULES)) {
    const typed = fields[field];
    if (typeof typed !== "string" || known.some((record) => record[field] === typed)) continue;
    if (field === "insured_person_ssn" && isMaskedSsn(typed)) {
      const ssn = known.find((record) => record[field] && maskSsn(record[field]) === typed)?.[field];
      if (ssn) read[field] = ssn;
      else problems[field] = ["Enter the SSN again."];
      continue;
    }
    const entry = readEntry(field, typed, today);
    if ("problem" in entry) problems[field] = [entry.problem];
    else read[field] = entry.value;
  }
  return { fields: { ...fields, ...read }, problems: Object.keys(problems).length === 0 ? null : problems };
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const OLDEST_YEAR = 1870;
const NOT_A_DATE = { problem: "Enter a date as month/day/year, such as 5/17/1980." };

/** Parses a date of birth. A year of two digits is in this century, unless the date would be in the future. */
function dateOfBirth(typed: string, today: string): Entry {
  const found = dateParts(typed);
  if (!found) return NOT_A_DATE;
  const [year = "", month = 0, day = 0] = found;
  const withYear = (full: number) => isoDate(full, month, day);
  const recent = withYear(2000 + Number(year));
  const date =
    year.length === 4 ? withYear(Number(year)) : recent && recent <= today ? recent : withYear(1900 + Number(year));
  if (!date || Number(date.slice(0, 4)) < OLDEST_YEAR) return NOT_A_DATE;
  if (date > today) return { problem: "A date of birth can't be in the future." };
  return { value: date };
}

function dateParts(typed: string): [year: string, month: number, day: number] | null {
  const [, iso, isoMonth, isoDay] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(typed) ?? [];
  if (iso) return [iso, Number(isoMonth), Number(isoDay)];
  const [, month, day, year] =
    /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d\d)$/.exec(typed) ?? /^(\d\d)(\d\d)(\d{4})$/.exec(typed) ?? [];
  if (year) return [year, Number(month), Number(day)];
  const [, name, nameDay, nameYear] = /^([a-z]{3,9})\.? (\d{1,2}),? (\d{4})$/i.exec(typed) ?? [];
  const at = MONTHS.indexOf(name?.slice(0, 3).toLowerCase() ?? "");
  return nameYear && at >= 0 ? [nameYear, at + 1, Number(nameDay)] : null;
}

/** Formats a date, or returns null if there is no such day. */
function isoDate(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.toISOString().slice(0, 10) : null;
}

function socialSecurityNumber(typed: string): Entry {
  const [, area, group, serial] = /^(\d{3})[- ]?(\d\d)[- ]?(\d{4})$/.exec(typed) ?? [];
  if (!serial) return { problem: "Enter the 9 digits of the SSN, such as 123-45-6789." };
  return { value: `${area}-${group}-${serial}` };
}

function gender(typed: string): Entry {
  return /^[a-z]$/i.test(typed) ? { value: typed.toUpperCase() } : { problem: "Enter one letter, such as F or M." };
}

function state(typed: string): Entry {
  return /^[a-z]{2}$/i.test(typed) ? { value: typed.toUpperCase() } : { problem: "Enter the 2 letters of a state." };
}

function zipCode(typed: string): Entry {
  const [, five, four] = /^(\d{5})(?:[- ]?(\d{4}))?$/.exec(typed) ?? [];
  if (!five) return { problem: "Enter a ZIP code of 5 or 9 digits, such as 04843 or 04843-1234." };
  return { value: four ? `${five}-${four}` : five };
}

/** Formats a phone number. Without a country code, or with 1, it is a US number. */
function phoneNumber(typed: string): Entry {
  const problem = "Enter a phone number of 10 digits, or one with + and its country code.";
  if (!/^\+?[\d\s().-]+$/.test(typed)) return { problem };
  const digits = typed.replace(/\D/g, "");
  const [, area, exchange, line] = /^1?([2-9]\d\d)(\d{3})(\d{4})$/.exec(digits) ?? [];
  const isUs = line !== undefined && (!typed.startsWith("+") || digits.startsWith("1"));
  if (isUs) return { value: `${area}-${exchange}-${line}` };
  return typed.startsWith("+") && /^[2-9]\d{6,14}$/.test(digits) ? { value: `+${digits}` } : { problem };
}
