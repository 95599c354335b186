import type { FindingDecision, Severity } from "@/generated/rows/enums";
import type { RecordId } from "@/lib/migration/record/record";
import type { Row } from "@/lib/platform/db/rows";

/**
 * The conversion checks by code. An `error` blocks the conversion until staff fix it. A `warning` converts, but staff
 * should review it.
 */
export const CHECKS = {
  patient_identity_missing: {
    severity: "error",
    title: "Name or date of birth is missing",
    mend: "Complete the patient's record where it comes from.",
  },
  patient_dob_invalid: {
    severity: "error",
    title: "Date of birth is no date, or lies in the future",
    mend: "Correct it as YYYY-MM-DD.",
  },
  patient_duplicate: {
    severity: "warning",
    title: "An earlier record is of the same person",
    mend: "Merge the two, or confirm that they are two people.",
  },
  rank_missing: {
    severity: "error",
    title: "Rank is missing",
    mend: "Say whether it is primary, secondary or tertiary.",
  },
  rank_unknown: { severity: "error", title: "Rank is unknown", mend: "Use primary, secondary or tertiary." },
  rank_duplicate: {
    severity: "error",
    title: "Two current insurances have the same rank",
    mend: "Give one of them another rank, or end it.",
  },
  member_id_missing: { severity: "warning", title: "Member ID is missing", mend: "Read it from the card." },
  carrier_missing: { severity: "error", title: "No carrier is named", mend: "Name the carrier, or pick the company." },
  carrier_unmatched: {
    severity: "warning",
    title: "Carrier is none of the practice's companies",
    mend: "Pick the company, or add it to the practice.",
  },
  date_invalid: { severity: "error", title: "Invalid date", mend: "Correct it as YYYY-MM-DD." },
  date_order: { severity: "error", title: "It ends before it begins", mend: "Correct one of the two dates." },
  expired: { severity: "warning", title: "A current insurance has ended", mend: "End it, or correct its end date." },
  decimal_invalid: {
    severity: "error",
    title: "An amount is no decimal",
    mend: "At most 8 digits before the point and 2 after it, without signs and commas.",
  },
  field_too_long: { severity: "error", title: "A text is too long", mend: "Shorten it." },
  relationship_unknown: {
    severity: "error",
    title: "Relationship to the insured is unknown",
    mend: "Use Child, Other or Spouse; leave it empty if the patient is the subscriber.",
  },
  insured_person_missing: {
    severity: "warning",
    title: "The insured person has no name",
    mend: "Complete first and last name of the insured person.",
  },
  insurance_id_reused: {
    severity: "error",
    title: "An insurance id stands on several insurances",
    mend: "Find out whose it is, and give the others ids of their own.",
  },
  card_orphan: {
    severity: "warning",
    title: "A card image belongs to no current insurance",
    mend: "Delete it, or add the insurance of its rank.",
  },
  card_unreadable: { severity: "error", title: "A card image can't be read", mend: "Scan the card again." },
} as const satisfies Record<string, { severity: Severity; title: string; mend: string }>;

/** Checks that depend on the practice's data. `npx crosswalk check` has no practice and reports none of these codes. */
export const RUN_CHECKS = {
  insurance_absent: {
    severity: "error",
    title: "An active insurance is not in the export",
    mend: "Archive it if it has ended. If its row was lost or damaged, correct the file and upload it again.",
  },
  insurance_id_elsewhere: {
    severity: "error",
    title: "The practice has this insurance with another patient",
    mend: "Find out whose it is.",
  },
  patient_deleted_here: {
    severity: "error",
    title: "The patient was deleted here",
    mend: "Leave the record out, or have the patient made anew.",
  },
  identity_differs_here: {
    severity: "error",
    title: "The practice has another person under this id",
    mend: "Compare both records before anything is written.",
  },
  changed_here: {
    severity: "error",
    title: "The policy was changed here since it was imported",
    mend: "Compare both: what is here stays unless the export is corrected.",
  },
  kept_date_conflict: {
    severity: "error",
    title: "A date that the export lacks contradicts one that it has",
    mend: "Add the missing date to the export, and upload it again.",
  },
  ended_here: {
    severity: "error",
    title: "The policy was archived here, and the export has it as current",
    mend: "Restore it here, or end it where it comes from.",
  },
  rank_held_here: {
    severity: "error",
    title: "A policy that isn't part of the conversion holds the rank",
    mend: "Give one of the two another rank, archive the one that is here, or convert it too if it was left out.",
  },
} as const satisfies Record<string, { severity: Severity; title: string; mend: string }>;

export type RunCheckCode = keyof typeof RUN_CHECKS;

/** Returns the title, severity and advice of a code. */
export function describeCode(code: string): { severity: Severity; title: string; mend: string } {
  const known: Record<string, { severity: Severity; title: string; mend: string }> = {
    ...CHECKS,
    ...CONVERSION_CHECKS,
    ...RUN_CHECKS,
  };
  return known[code] ?? { severity: "error", title: code, mend: "" };
}

export type { Severity };
export type CheckCode = keyof typeof CHECKS;

/** A proposed fix for a finding, if only one is likely. */
export interface Fix {
  /** The corrected values by field. */
  values: Record<string, unknown>;
  why: string;
}

/** Current insurances, or past ones. */
export type InsuranceList = "insurances" | "deleted_insurances";

/** An error or warning in a record. */
export interface Finding {
  patient: RecordId | null;
  /** Null if the finding is about the patient. */
  insurance: RecordId | null;
  /** The list of the insurance. Null if the finding is about the patient. */
  list: InsuranceList | null;
  /** Position in that list, from 0. */
  position: number | null;
  code: CheckCode | ConversionCheckCode;
  severity: Severity;
  /** The line, or the record's place in an array. */
  line: number;
  field: string | null;
  /** The value that was found. */
  found: unknown;
  message: string;
  fix: Fix | null;
}

interface CheckText {
  severity: Severity;
  title: string;
  mend: string;
}

/**
 * Checks that block a conversion beyond the specified ones. `crosswalk check` and runs report the same codes (ADR
 * 0150).
 */
export const CONVERSION_CHECKS = {
  line_unreadable: {
    severity: "error",
    title: "A line can't be read",
    mend: "Correct the file, and upload it again.",
  },
  row_rejected: {
    severity: "error",
    title: "A row of the patient was rejected",
    mend: "Correct the row and upload the file again. Without it the patient's insurances are not known to be complete.",
  },
  patient_id_invalid: {
    severity: "error",
    title: "Patient ID is missing or invalid",
    mend: "Use a whole number from 1 to 9,007,199,254,740,991.",
  },
  patient_id_repeated: {
    severity: "error",
    title: "An earlier record has the same patient id",
    mend: "Find out whose it is, and give the other an id of its own.",
  },
  patient_deleted_there: {
    severity: "error",
    title: "The patient was deleted in the other system",
    mend: "Leave the record out, or restore the patient there.",
  },
  sex_unknown: { severity: "error", title: "Sex is unknown", mend: "Use Female, Male, Other or Unknown." },
  text_expected: {
    severity: "error",
    title: "A field holds a number or another type instead of text",
    mend: "Send the value as text, in quotes.",
  },
  text_unstorable: {
    severity: "error",
    title: "A text contains characters that can't be stored",
    mend: "Remove NUL characters and halves of characters.",
  },
  patient_field_too_long: {
    severity: "error",
    title: "A text of the patient is too long",
    mend: "Shorten it.",
  },
  patient_field_invalid: {
    severity: "error",
    title: "A field of the patient has an invalid value",
    mend: "Correct the field where the record comes from.",
  },
  list_too_long: {
    severity: "error",
    title: "A patient has too many records of one kind",
    mend: "A patient has at most 50 current insurances, 10,000 past ones, 50 phones and 3 cards.",
  },
  insurance_id_invalid: {
    severity: "error",
    title: "Insurance ID is missing or invalid",
    mend: "Use a whole number from 1 to 9,007,199,254,740,991.",
  },
  insurance_id_twice: {
    severity: "error",
    title: "A past insurance has the id of another insurance of the patient",
    mend: "Give it an id of its own, or leave the past insurance out.",
  },
  insurance_id_repeated: {
    severity: "error",
    title: "An insurance id stands on an earlier record too",
    mend: "Find out whose it is, and give the other an id of its own.",
  },
  company_id_invalid: {
    severity: "error",
    title: "Insurance company ID is invalid",
    mend: "Use the company's id, or leave it empty.",
  },
  company_unknown: {
    severity: "error",
    title: "An insurance company is unknown",
    mend: "Upload the companies of the export with it.",
  },
  company_id_ambiguous: {
    severity: "error",
    title: "An insurance company ID has two names",
    mend: "Give each company an id of its own in the companies file.",
  },
  payment_program_unknown: {
    severity: "error",
    title: "Payment program is unknown",
    mend: "Use one of the contract's payment programs, or leave it empty.",
  },
  insurance_field_invalid: {
    severity: "error",
    title: "A field of an insurance has an invalid value",
    mend: "Correct the field where the record comes from.",
  },
  time_invalid: {
    severity: "error",
    title: "A time is invalid",
    mend: "Use ISO 8601 with a time zone, as in 2015-01-02T09:00:00Z.",
  },
  time_in_future: {
    severity: "error",
    title: "A time is in the future",
    mend: "Correct the time where the record comes from.",
  },
  current_deleted: {
    severity: "error",
    title: "A current insurance has a deletion date",
    mend: "Move it to the past insurances, or clear the date.",
  },
  past_rank_invalid: {
    severity: "error",
    title: "A past insurance has no known rank",
    mend: "Use primary, secondary or tertiary, or leave the past insurance out.",
  },
  past_date_invalid: {
    severity: "error",
    title: "Invalid date in a past insurance",
    mend: "Correct it as YYYY-MM-DD, or leave the past insurance out.",
  },
  past_date_order: {
    severity: "error",
    title: "A past insurance ends before it begins",
    mend: "Correct one of the dates, or leave the past insurance out.",
  },
  past_end_missing: {
    severity: "error",
    title: "A past insurance has no end",
    mend: "Set its deletion or termination date, or leave the past insurance out.",
  },
  past_decimal_invalid: {
    severity: "error",
    title: "An amount of a past insurance is no decimal",
    mend: "Correct it, or leave the past insurance out.",
  },
  past_field_too_long: {
    severity: "error",
    title: "A text of a past insurance is too long",
    mend: "Shorten it, or leave the past insurance out.",
  },
  past_relationship_unknown: {
    severity: "error",
    title: "Relationship to the insured of a past insurance is unknown",
    mend: "Use Child, Other or Spouse, or leave the past insurance out.",
  },
  card_invalid: {
    severity: "error",
    title: "A card has no valid rank or side, or two images at one place",
    mend: "Cards have rank 1 to 3, sides 1 to 9, and one image a side.",
  },
  record_invalid: {
    severity: "error",
    title: "A field holds what no record can have",
    mend: "Correct the record where it comes from.",
  },
} as const satisfies Record<string, CheckText>;

export type ConversionCheckCode = keyof typeof CONVERSION_CHECKS;

/** A decision on a finding. */
export type Decision = FindingDecision;

/** The columns of a finding that checks and decisions need. */
export type FindingRow = Row<
  "migration_finding",
  | "id"
  | "number"
  | "patient"
  | "insurance"
  | "list"
  | "position"
  | "code"
  | "severity"
  | "field"
  | "found"
  | "message"
  | "fix"
  | "decision"
  | "reason"
>;
