import { z } from "zod";
import type { FieldErrors } from "@/lib/platform/errors";
import { calendarDate, DECIMAL_FORMAT, reference } from "@/lib/platform/http/validation";
import { keysOf } from "@/lib/platform/objects";
import { AMOUNT, PAYMENT_PROGRAMS, RELATIONSHIPS, TEXT_LIMITS } from "./limits";

/**
 * The fields that a policy and a legacy insurance have in common, with their legacy names and the limits of the contract's
 * `Insurance`. Both stores, their tables and replication use this one list.
 */

const text = (field: keyof typeof TEXT_LIMITS) => z.string().max(TEXT_LIMITS[field]).nullable();

/** An amount of at most 8 + 2 digits, normalized to two decimals. An empty text becomes null. */
const amount = z
  .string()
  .regex(
    new RegExp(`^$|${AMOUNT.source}`),
    "Must be an amount such as 25 or 1250.00, with at most 8 digits before and 2 after the decimal point.",
  )
  .meta({ format: DECIMAL_FORMAT })
  .transform((value) => (value === "" ? null : normalizeAmount(value)))
  .nullable();

function normalizeAmount(value: string): string {
  const [whole = "", fraction = ""] = value.replace("-", "").split(".");
  const digits = `${whole.replace(/^0+(?=\d)/, "") || "0"}.${fraction.padEnd(2, "0")}`;
  return value.startsWith("-") && /[1-9]/.test(digits) ? `-${digits}` : digits;
}

/** The shape of a stored record: each field is present, and null if it is empty. */
export const insuranceShape = {
  carrier: text("carrier"),
  insurance_company: reference.nullable(),
  plan: text("plan"),
  insurance_plan: reference.nullable(),
  member_id: text("member_id"),
  group_id: text("group_id"),
  copay: amount,
  deductible: amount,
  start_date: calendarDate.nullable(),
  end_date: calendarDate.nullable(),
  payment_program: z.enum(PAYMENT_PROGRAMS).nullable(),
  relationship_to_insured: z.enum(RELATIONSHIPS).nullable(),
  insured_person_first_name: text("insured_person_first_name"),
  insured_person_last_name: text("insured_person_last_name"),
  insured_person_dob: text("insured_person_dob"),
  insured_person_gender: text("insured_person_gender"),
  insured_person_ssn: text("insured_person_ssn"),
  insured_person_id: text("insured_person_id"),
  insured_person_address: text("insured_person_address"),
  insured_person_city: text("insured_person_city"),
  insured_person_state: text("insured_person_state"),
  insured_person_zip: text("insured_person_zip"),
  address: text("address"),
  suite: text("suite"),
  city: text("city"),
  state: text("state"),
  zip: text("zip"),
  phone: text("phone"),
  extension: text("extension"),
} as const;

const stored = z.object(insuranceShape);
/** The stored insurance fields. Amounts are decimal strings, dates `YYYY-MM-DD`. */
export type InsuranceFields = z.output<typeof stored>;
export type InsuranceField = keyof InsuranceFields;

/** A record with some of the insurance fields. */
type GivenFields = { readonly [F in InsuranceField]?: InsuranceFields[F] | undefined };

/** Names of the fields and of their columns. */
export const INSURANCE_FIELDS: readonly InsuranceField[] = keysOf(insuranceShape);

/** The shape of the fields in requests: each is optional. */
export const insuranceInputShape = stored.partial().shape;

/**
 * Picks all insurance fields of a record. Missing fields become null.
 *
 * @param before has the values of fields that the record lacks
 */
export function pickInsurance(record: GivenFields, before: GivenFields | null = null): InsuranceFields {
  // Each field by name, because this runs for every stored row and takes a quarter of the time of a loop.
  return {
    carrier: given(record.carrier, before?.carrier),
    insurance_company: given(record.insurance_company, before?.insurance_company),
    plan: given(record.plan, before?.plan),
    insurance_plan: given(record.insurance_plan, before?.insurance_plan),
    member_id: given(record.member_id, before?.member_id),
    group_id: given(record.group_id, before?.group_id),
    copay: given(record.copay, before?.copay),
    deductible: given(record.deductible, before?.deductible),
    start_date: given(record.start_date, before?.start_date),
    end_date: given(record.end_date, before?.end_date),
    payment_program: given(record.payment_program, before?.payment_program),
    relationship_to_insured: given(record.relationship_to_insured, before?.relationship_to_insured),
    insured_person_first_name: given(record.insured_person_first_name, before?.insured_person_first_name),
    insured_person_last_name: given(record.insured_person_last_name, before?.insured_person_last_name),
    insured_person_dob: given(record.insured_person_dob, before?.insured_person_dob),
    insured_person_gender: given(record.insured_person_gender, before?.insured_person_gender),
    insured_person_ssn: given(record.insured_person_ssn, before?.insured_person_ssn),
    insured_person_id: given(record.insured_person_id, before?.insured_person_id),
    insured_person_address: given(record.insured_person_address, before?.insured_person_address),
    insured_person_city: given(record.insured_person_city, before?.insured_person_city),
    insured_person_state: given(record.insured_person_state, before?.insured_person_state),
    insured_person_zip: given(record.insured_person_zip, before?.insured_person_zip),
    address: given(record.address, before?.address),
    suite: given(record.suite, before?.suite),
    city: given(record.city, before?.city),
    state: given(record.state, before?.state),
    zip: given(record.zip, before?.zip),
    phone: given(record.phone, before?.phone),
    extension: given(record.extension, before?.extension),
  };
}

function given<T>(value: T | null | undefined, otherwise: T | null | undefined): T | null {
  return value !== undefined ? value : (otherwise ?? null);
}

/** Finds problems between the fields of an insurance record. Returns null if there are none. */
export function insuranceProblems({
  start_date: start,
  end_date: end,
}: Pick<GivenFields, "start_date" | "end_date">): FieldErrors | null {
  if (start && end && end < start) return { end_date: ["Must not be before start_date."] };
  return null;
}

/** Compares names, ignoring case, accents, and surrounding or repeated space. */
export function sameName(a: string, b: string): boolean {
  return normalizeName(a) === normalizeName(b);
}

function normalizeName(name: string): string {
  const letters = name.normalize("NFKD").replace(/\p{M}/gu, "").replace(/\s+/gu, " ").trim();
  // Some letters match their capitals only this way: the capitals of "ß" are "SS".
  return letters.toUpperCase().toLowerCase();
}
