import { z } from "zod";

/**
 * The insurance fields that a policy and a legacy insurance have in common, under their legacy names and with the limits
 * of the contract's `Insurance`. Both stores, their tables and the stream between them are built from this one list.
 */

const text = (maxLength: number) => z.string().max(maxLength).nullable();

/** A calendar date `YYYY-MM-DD`; PostgreSQL has no year 0. */
export const calendarDate = z.iso
  .date({ error: (issue) => (typeof issue.input === "string" ? "Must be a calendar date, YYYY-MM-DD." : undefined) })
  .refine((date) => !date.startsWith("0000"), { error: "Must be a calendar date, YYYY-MM-DD." });

/** An amount of at most 8 + 2 digits, brought to two decimals; an empty one is none. */
const amount = z
  .string()
  .regex(/^-?\d{0,8}(?:\.\d{0,2})?$/, "Must be a decimal with at most 8 digits before and 2 after the point.")
  .refine((value) => value === "" || /\d/.test(value), { error: "Must be a decimal." })
  .transform((value) => (value === "" ? null : normalizeAmount(value)))
  .nullable();

function normalizeAmount(value: string): string {
  const [whole = "", fraction = ""] = value.replace("-", "").split(".");
  const digits = `${whole.replace(/^0+(?=\d)/, "") || "0"}.${fraction.padEnd(2, "0")}`;
  return value.startsWith("-") && /[1-9]/.test(digits) ? `-${digits}` : digits;
}

/** An id of another record, as JSON carries it. */
export const reference = z.int().positive();

export const PAYMENT_PROGRAMS = [
  "Commercial - HMSA",
  "Commercial - Other",
  "Commercial - SFHP",
  "Medicaid",
  "Medicare Advantage",
  "Medicare Part B",
  "Worker's Compensation",
] as const;

export const RELATIONSHIPS = ["Child", "Other", "Spouse"] as const;

/** Each field, required to be present (null where it is empty): the shape of a stored record. */
export const insuranceShape = {
  carrier: text(200),
  insurance_company: reference.nullable(),
  plan: text(200),
  insurance_plan: reference.nullable(),
  member_id: text(50),
  group_id: text(50),
  copay: amount,
  deductible: amount,
  start_date: calendarDate.nullable(),
  end_date: calendarDate.nullable(),
  payment_program: z.enum(PAYMENT_PROGRAMS).nullable(),
  relationship_to_insured: z.enum(RELATIONSHIPS).nullable(),
  insured_person_first_name: text(200),
  insured_person_last_name: text(200),
  insured_person_dob: text(50),
  insured_person_gender: text(1),
  insured_person_ssn: text(11),
  insured_person_id: text(50),
  insured_person_address: text(200),
  insured_person_city: text(50),
  insured_person_state: text(2),
  insured_person_zip: text(10),
  address: text(200),
  suite: text(35),
  city: text(50),
  state: text(2),
  zip: text(10),
  phone: text(20),
  extension: text(6),
} as const;

const stored = z.object(insuranceShape);
/** The insurance fields as stored; amounts are decimal strings, dates `YYYY-MM-DD`. */
export type InsuranceFields = z.output<typeof stored>;
export type InsuranceField = keyof InsuranceFields;

/** Names of the fields, which are the names of the columns too. */
export const INSURANCE_FIELDS = Object.keys(insuranceShape) as readonly InsuranceField[];

/** Each field optional: the shape of what a client sends. */
export const insuranceInputShape = stored.partial().shape;

const NOTHING = Object.fromEntries(INSURANCE_FIELDS.map((field) => [field, null])) as unknown as InsuranceFields;

/** The insurance fields of any record that has them, every one present. */
export function pickInsurance(record: Partial<InsuranceFields>): InsuranceFields {
  const picked: Record<string, unknown> = { ...NOTHING };
  for (const field of INSURANCE_FIELDS) {
    if (record[field] !== undefined) picked[field] = record[field];
  }
  return picked as InsuranceFields;
}

/** Ranks of the policy side and their legacy words. */
export const RANK_WORDS = ["primary", "secondary", "tertiary"] as const;
export type RankWord = (typeof RANK_WORDS)[number];
export type Rank = 1 | 2 | 3;

export function toRank(word: RankWord): Rank {
  return (RANK_WORDS.indexOf(word) + 1) as Rank;
}

export function toRankWord(rank: number): RankWord {
  const word = RANK_WORDS[rank - 1];
  if (!word) throw new RangeError(`no rank ${rank}`);
  return word;
}
