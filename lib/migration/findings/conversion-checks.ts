import type { Severity } from "@/generated/rows/enums";

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
