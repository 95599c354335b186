import { z } from "zod";
import type { FieldErrors } from "@/lib/platform/errors";
import { calendarDate, reference } from "@/lib/platform/http/validation";
import { fromKeys, keysOf } from "@/lib/platform/objects";
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
    "Must be a decimal with at most 8 digits before and 2 after the point, and at least one digit.",
  )
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

/** Picks the insurance fields that a record has, including null values. */
export function sentFields(record: GivenFields): Partial<InsuranceFields> {
  const sent = INSURANCE_FIELDS.filter((field) => record[field] !== undefined);
  return Object.fromEntries(sent.map((field) => [field, record[field]]));
}

const NOTHING: InsuranceFields = fromKeys(INSURANCE_FIELDS, () => null);

/**
 * Picks all insurance fields of a record. Missing fields become null.
 *
 * @param before has the values of fields that the record lacks
 */
export function pickInsurance(record: GivenFields, before: GivenFields | null = null): InsuranceFields {
  // A loop, because this runs for every stored row and is faster than `sentFields`.
  const picked: Record<string, unknown> = { ...NOTHING };
  for (const field of INSURANCE_FIELDS) {
    const value = record[field] !== undefined ? record[field] : before?.[field];
    if (value !== undefined) picked[field] = value;
  }
  return picked as InsuranceFields;
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
  return name.normalize("NFKD").replace(/\p{M}/gu, "").replace(/\s+/gu, " ").trim().toLowerCase();
}
