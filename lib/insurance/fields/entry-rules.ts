import type { FieldErrors } from "@/lib/platform/errors";
import { keysOf } from "@/lib/platform/objects";
import { readBirthDate, readDate } from "@/lib/platform/typed-date";
import type { InsuranceField, InsuranceFields } from "./fields";
import { AMOUNT } from "./limits";
import { isMaskedSsn, maskSsn } from "./masked-ssn";

/** A normalized entry, or the problem with it. */
export type Entry = { value: string } | { problem: string };

type Rule = (typed: string, today: string) => Entry;

/**
 * Rules for what staff enter. Each rule normalizes an entry, or says what to enter. They don't apply to API clients, whose values
 * must only meet the contract.
 */
const RULES: Partial<Record<InsuranceField, Rule>> = {
  copay: amount,
  deductible: amount,
  start_date: readDate,
  end_date: readDate,
  insured_person_dob: readBirthDate,
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
      else problems[field] = ["Enter the full SSN again."];
      continue;
    }
    const entry = readEntry(field, typed, today);
    if ("problem" in entry) problems[field] = [entry.problem];
    else read[field] = entry.value;
  }
  return { fields: { ...fields, ...read }, problems: Object.keys(problems).length === 0 ? null : problems };
}

function amount(typed: string): Entry {
  return AMOUNT.test(typed) ? { value: typed } : { problem: "Enter an amount in dollars, such as 25 or 1250.00." };
}

function socialSecurityNumber(typed: string): Entry {
  const [, area, group, serial] = /^(\d{3})[- ]?(\d\d)[- ]?(\d{4})$/.exec(typed) ?? [];
  if (!serial) return { problem: "Enter the SSN with all 9 digits, such as 123-45-6789." };
  return { value: `${area}-${group}-${serial}` };
}

function gender(typed: string): Entry {
  return /^[a-z]$/i.test(typed) ? { value: typed.toUpperCase() } : { problem: "Enter one letter, such as F or M." };
}

function state(typed: string): Entry {
  return /^[a-z]{2}$/i.test(typed)
    ? { value: typed.toUpperCase() }
    : { problem: "Enter a two-letter state code, such as ME." };
}

function zipCode(typed: string): Entry {
  const [, five, four] = /^(\d{5})(?:[- ]?(\d{4}))?$/.exec(typed) ?? [];
  if (!five) return { problem: "Enter a ZIP code with 5 or 9 digits, such as 04843 or 04843-1234." };
  return { value: four ? `${five}-${four}` : five };
}

/** Formats a phone number. Without a country code, or with 1, it is a US number. */
function phoneNumber(typed: string): Entry {
  const problem = "Enter a phone number with 10 digits. Outside the US, start with + and the country code.";
  if (!/^\+?[\d\s().-]+$/.test(typed)) return { problem };
  const digits = typed.replace(/\D/g, "");
  const [, area, exchange, line] = /^1?([2-9]\d\d)(\d{3})(\d{4})$/.exec(digits) ?? [];
  const isUs = line !== undefined && (!typed.startsWith("+") || digits.startsWith("1"));
  if (isUs) return { value: `${area}-${exchange}-${line}` };
  return typed.startsWith("+") && /^[2-9]\d{6,14}$/.test(digits) ? { value: `+${digits}` } : { problem };
}
