import type { FindingDecision, Severity } from "@/generated/rows/enums";
import type { RecordId } from "@/lib/migration/record/raw-record";
import type { Row } from "@/lib/platform/db/rows";

interface CheckText {
  severity: Severity;
  title: string;
  /** What staff can do about it. */
  advice: string;
}

/**
 * The conversion checks by code. An `error` blocks the conversion until staff fix it. A `warning` converts, but staff
 * should review it.
 */
export const CHECKS = {
  patient_identity_missing: {
    severity: "error",
    title: "Name or date of birth is missing",
    advice: "Complete the patient's record in the source system.",
  },
  patient_dob_invalid: {
    severity: "error",
    title: "Date of birth is invalid or in the future",
    advice: "Enter a valid date of birth.",
  },
  patient_duplicate: {
    severity: "warning",
    title: "Possible duplicate of an earlier record",
    advice: "Merge the two records, or confirm that they are different people.",
  },
  rank_missing: { severity: "error", title: "Rank is missing", advice: "Enter primary, secondary or tertiary." },
  rank_unknown: { severity: "error", title: "Unknown rank", advice: "Use primary, secondary or tertiary." },
  rank_duplicate: {
    severity: "error",
    title: "Two current insurance records have the same rank",
    advice: "Change one of the ranks, or end one of the two in the source system.",
  },
  member_id_missing: { severity: "warning", title: "Member ID is missing", advice: "Copy it from the insurance card." },
  carrier_missing: { severity: "error", title: "Payer is missing", advice: "Select the payer, or enter its name." },
  carrier_unmatched: {
    severity: "warning",
    title: "Payer not found in this practice",
    advice: "Select the payer, or add it to the practice.",
  },
  date_invalid: { severity: "error", title: "Invalid date", advice: "Enter a valid date, or leave it blank." },
  date_order: {
    severity: "error",
    title: "Termination date is before effective date",
    advice: "Correct one of the two dates.",
  },
  expired: {
    severity: "warning",
    title: "Current insurance has expired",
    advice: "End it in the source system, or correct its termination date.",
  },
  decimal_invalid: {
    severity: "error",
    title: "Invalid amount",
    advice: "Use at most 8 digits before the decimal point and 2 after it, without currency signs or commas.",
  },
  field_too_long: { severity: "error", title: "Text is too long", advice: "Shorten the text." },
  relationship_unknown: {
    severity: "error",
    title: "Unknown relationship to subscriber",
    advice: "Use Child, Other or Spouse. Leave it blank if the patient is the subscriber.",
  },
  insured_person_missing: {
    severity: "warning",
    title: "Subscriber name is missing",
    advice: "Enter the subscriber's first and last name.",
  },
  insurance_id_reused: {
    severity: "error",
    title: "Duplicate insurance ID",
    advice: "Find out which insurance the ID belongs to, and give the others new IDs.",
  },
  card_orphan: {
    severity: "warning",
    title: "Card image without a current insurance",
    advice: "Delete the image, or add an insurance of its rank.",
  },
  card_unreadable: { severity: "error", title: "Card image can't be read", advice: "Scan the card again." },
} as const satisfies Record<string, CheckText>;

/**
 * Checks that block a conversion in addition to the specified ones. `crosswalk check` and runs report the same codes (ADR
 * 0150).
 */
export const CONVERSION_CHECKS = {
  line_unreadable: { severity: "error", title: "Line can't be read", advice: "Correct the file and upload it again." },
  row_rejected: {
    severity: "error",
    title: "A row of the patient was rejected",
    advice: "Correct the row and upload the file again. Until then, the patient's insurance records may be incomplete.",
  },
  patient_id_invalid: {
    severity: "error",
    title: "Patient ID is missing or invalid",
    advice: "Use a whole number from 1 to 9,007,199,254,740,991.",
  },
  patient_id_repeated: {
    severity: "error",
    title: "Duplicate patient ID",
    advice: "Find out which patient the ID belongs to, and give the other patient a new one.",
  },
  patient_deleted_there: {
    severity: "error",
    title: "Patient was deleted in the source system",
    advice: "Skip the record, or restore the patient in the source system.",
  },
  sex_unknown: { severity: "error", title: "Unknown sex", advice: "Use Female, Male, Other or Unknown." },
  text_expected: { severity: "error", title: "Value must be text", advice: "Put the value in quotes in the export." },
  text_unstorable: {
    severity: "error",
    title: "Text contains characters that can't be stored",
    advice: "Enter the text again without the invalid characters.",
  },
  patient_field_too_long: { severity: "error", title: "Patient field is too long", advice: "Shorten the text." },
  patient_field_invalid: {
    severity: "error",
    title: "Invalid patient field",
    advice: "Correct the field in the source system.",
  },
  list_too_long: {
    severity: "error",
    title: "Too many entries for one patient",
    advice: "A patient can have at most 50 current insurance records, 10,000 past ones, 50 phones and 3 cards.",
  },
  insurance_id_invalid: {
    severity: "error",
    title: "Insurance ID is missing or invalid",
    advice: "Use a whole number from 1 to 9,007,199,254,740,991.",
  },
  insurance_id_twice: {
    severity: "error",
    title: "Past insurance has the ID of another insurance of the patient",
    advice: "Give it a new ID, or skip the past insurance.",
  },
  insurance_id_repeated: {
    severity: "error",
    title: "Insurance ID is also on an earlier record",
    advice: "Find out which patient the insurance belongs to, and give the other one a new ID.",
  },
  company_id_invalid: {
    severity: "error",
    title: "Invalid payer ID",
    advice: "Use the payer's ID, or leave it blank.",
  },
  company_unknown: { severity: "error", title: "Unknown payer", advice: "Upload the export together with its payers." },
  company_id_ambiguous: {
    severity: "error",
    title: "Payer ID has two names",
    advice: "Give each payer its own ID in the payer list.",
  },
  payment_program_unknown: {
    severity: "error",
    title: "Unknown payment program",
    advice: "Use a payment program that the API documents, or leave it blank.",
  },
  insurance_field_invalid: {
    severity: "error",
    title: "Invalid insurance field",
    advice: "Correct the field in the source system.",
  },
  time_invalid: {
    severity: "error",
    title: "Invalid time",
    advice: "Enter a date, or a time with its time zone, such as 2015-01-02T09:00:00Z.",
  },
  time_in_future: {
    severity: "error",
    title: "Time is in the future",
    advice: "Correct the time in the source system.",
  },
  current_deleted: {
    severity: "error",
    title: "Current insurance has a deletion date",
    advice: "Move it to past insurance, or clear the date.",
  },
  past_rank_invalid: {
    severity: "error",
    title: "Past insurance has a missing or unknown rank",
    advice: "Use primary, secondary or tertiary, or skip the past insurance.",
  },
  past_date_invalid: {
    severity: "error",
    title: "Invalid date in a past insurance",
    advice: "Enter a valid date, or skip the past insurance.",
  },
  past_date_order: {
    severity: "error",
    title: "Past insurance ends before it starts",
    advice: "Correct one of the dates, or skip the past insurance.",
  },
  past_end_missing: {
    severity: "error",
    title: "Past insurance has no end date",
    advice: "Enter its deletion or termination date, or skip the past insurance.",
  },
  past_decimal_invalid: {
    severity: "error",
    title: "Invalid amount in a past insurance",
    advice: "Correct the amount, or skip the past insurance.",
  },
  past_field_too_long: {
    severity: "error",
    title: "Text is too long in a past insurance",
    advice: "Shorten the text, or skip the past insurance.",
  },
  past_relationship_unknown: {
    severity: "error",
    title: "Unknown relationship to subscriber in a past insurance",
    advice: "Use Child, Other or Spouse, or skip the past insurance.",
  },
  card_invalid: {
    severity: "error",
    title: "Invalid card rank or side, or two images of one side",
    advice: "Use ranks 1 to 3 and sides 1 to 9, with one image per side.",
  },
  record_invalid: { severity: "error", title: "Invalid value", advice: "Correct the record in the source system." },
} as const satisfies Record<string, CheckText>;

/** Checks against the practice's data. `crosswalk check` has no practice, so it reports none of these codes. */
export const RUN_CHECKS = {
  insurance_absent: {
    severity: "error",
    title: "Active insurance is missing from the export",
    advice: "Archive it if it has ended. If its row was lost or damaged, correct the file and upload it again.",
  },
  insurance_id_elsewhere: {
    severity: "error",
    title: "Insurance belongs to another patient in Crosswalk",
    advice: "Find out which patient the insurance belongs to.",
  },
  patient_deleted_here: {
    severity: "error",
    title: "Patient was deleted in Crosswalk",
    advice: "Skip the record, or create the patient again.",
  },
  identity_differs_here: {
    severity: "error",
    title: "Patient ID belongs to another person in Crosswalk",
    advice: "Compare the two records before you convert.",
  },
  changed_here: {
    severity: "error",
    title: "Policy was changed in Crosswalk since the import",
    advice: "Compare both versions. The policy does not change unless you correct the export.",
  },
  kept_date_conflict: {
    severity: "error",
    title: "Dates in the export and in Crosswalk conflict",
    advice: "Add the missing date to the export, and upload it again.",
  },
  ended_here: {
    severity: "error",
    title: "Policy is archived in Crosswalk but current in the export",
    advice: "Restore the policy, or end the insurance in the source system.",
  },
  rank_held_here: {
    severity: "error",
    title: "Rank is held by a policy outside the conversion",
    advice: "Change one of the ranks, archive the policy, or convert it too if it was skipped.",
  },
} as const satisfies Record<string, CheckText>;

export type RunCheckCode = keyof typeof RUN_CHECKS;

// Built once: a page of findings asks hundreds of times.
const TEXTS = new Map<string, CheckText>(Object.entries({ ...CHECKS, ...CONVERSION_CHECKS, ...RUN_CHECKS }));

/** Returns the title, severity and advice of a code. */
export function describeCode(code: string): CheckText {
  return TEXTS.get(code) ?? { severity: "error", title: code, advice: "" };
}

export type { Severity };
export type CheckCode = keyof typeof CHECKS;

/** A proposed fix for a finding, if only one is likely, or the correction that staff entered instead. */
export interface Fix {
  /** The corrected values by field. */
  values: Record<string, unknown>;
  why: string;
  /** Staff entered the values. */
  corrected?: true;
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
