import type { z } from "zod";
import { readEntry } from "@/lib/insurance/fields/entry-rules";
import { PAYMENT_PROGRAMS, RANK_WORDS, RELATIONSHIPS } from "@/lib/insurance/fields/limits";
import { isRecord, type RawRecord, recordsOf, textOf } from "@/lib/migration/record/raw-record";
import { legacyInsurance, stagedPatient } from "@/lib/migration/record/schema";
import type { FieldErrors } from "@/lib/platform/errors";
import { readDate, readTypedDates } from "@/lib/platform/typed-date";
import type { FindingRow } from "./checks";
import { readAmount } from "./fixes";

/** A value that staff enter instead of one in the export. Null clears the field. */
export type CorrectedValue = string | number | null;

/** An input for a field that a finding is about. */
export interface CorrectionInput {
  field: string;
  kind: "text" | "date" | "payer" | "choice";
  /** The current value as text, empty if it is blank. */
  value: string;
  /** The values to choose from. */
  choices?: readonly string[];
  /** The values that other insurances of the record have in this field, if they are often the same. */
  others: string[];
}

type Correctable = Pick<FindingRow, "code" | "field" | "list" | "position">;

/** The fields with a date of coverage. */
export const DATES = ["start_date", "end_date"];
const TIMES = ["created_date", "deleted_date"];
const AMOUNTS = ["copay", "deductible"];

/** The fields that can resolve a finding, if there are others than the one that it names. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  patient_identity_missing: ["first_name", "last_name", "dob"],
  date_invalid: DATES,
  date_order: DATES,
  past_date_invalid: DATES,
  past_date_order: [...DATES, "deleted_date"],
  decimal_invalid: AMOUNTS,
  past_decimal_invalid: AMOUNTS,
  carrier_missing: ["carrier"],
  carrier_unmatched: ["carrier"],
  company_id_invalid: ["carrier"],
  company_unknown: ["carrier"],
  company_id_ambiguous: ["carrier"],
  insured_person_missing: ["insured_person_first_name", "insured_person_last_name"],
  past_end_missing: ["end_date"],
};

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  rank: RANK_WORDS,
  relationship_to_insured: RELATIONSHIPS,
  payment_program: PAYMENT_PROGRAMS,
  insured_person_gender: ["F", "M", "X", "U"],
};

/** Fields with a date or time. Their inputs accept dates in any usual form. */
const DATE_FIELDS = ["dob", "insured_person_dob", ...DATES, ...TIMES];

/**
 * Returns the fields that staff can correct to resolve a finding. Returns an empty list if only the export or another record can be
 * changed.
 */
export function correctableFields({ code, field, list }: Correctable): readonly string[] {
  return (FIELDS[code] ?? [field ?? ""]).filter((name) => isCorrectable(name, list));
}

/** Patient IDs, lists, cards and nested fields can't be corrected. */
function isCorrectable(field: string, list: FindingRow["list"]): boolean {
  if (list !== null) return Object.hasOwn(legacyInsurance.shape, field);
  const type = patientField(field)?.def.type;
  return type === "string" || type === "enum";
}

/** Returns the schema of a patient's field, without its wrappers. */
function patientField(field: string): z.core.$ZodType["_zod"] | undefined {
  if (!Object.hasOwn(stagedPatient.shape, field)) return undefined;
  let schema = (stagedPatient.shape as Record<string, z.core.$ZodType>)[field];
  while (schema && "innerType" in schema._zod.def) schema = schema._zod.def.innerType as z.core.$ZodType;
  return schema?._zod;
}

function choicesOf(field: string, list: FindingRow["list"]): readonly string[] | undefined {
  if (list !== null) return CHOICES[field];
  const values = patientField(field)?.values;
  return values && [...values].filter((value) => typeof value === "string");
}

/** Insurances of a patient often have the same payer and subscriber. */
const isShared = (field: string) => field === "carrier" || field.startsWith("insured_person_");

/** Returns the inputs for a finding, with the values that its record has now. */
export function correctionInputs(finding: Correctable, record: RawRecord): CorrectionInput[] {
  const { list, position } = finding;
  const entries = list === null ? [] : record[list];
  const owner = list === null ? record : Array.isArray(entries) ? entries[position ?? -1] : null;
  if (!isRecord(owner)) return [];
  const insurances = [...recordsOf(record.insurances), ...recordsOf(record.deleted_insurances)];
  const others = list === null ? [] : insurances.filter((one) => one !== owner);
  return correctableFields(finding).map((field) => {
    const choices = choicesOf(field, list);
    const texts = !choices && isShared(field) ? others.map((one) => textOf(one[field])) : [];
    return {
      field,
      kind: field === "carrier" ? "payer" : choices ? "choice" : DATE_FIELDS.includes(field) ? "date" : "text",
      value: textOf(owner[field]),
      ...(choices ? { choices } : {}),
      others: [...new Set(texts)].filter((text) => text !== "" && text !== textOf(owner[field])),
    };
  });
}

/** What staff entered, as the record will have it, or the problem with each field. */
type ReadCorrection = { values: Record<string, CorrectedValue> } | { problems: FieldErrors };

/**
 * Reads the values that staff entered for a finding. The check decides whether they resolve it.
 *
 * @param asOf `YYYY-MM-DD`, the latest date of birth; two-digit years of other dates are near it
 */
export function readCorrection(
  finding: Correctable,
  entered: Readonly<Record<string, CorrectedValue>>,
  asOf: string,
): ReadCorrection {
  const fields = correctableFields(finding);
  const allowed = fields.includes("carrier") ? [...fields, "insurance_company"] : fields;
  const values: Record<string, CorrectedValue> = {};
  const problems: FieldErrors = {};
  if (Object.keys(entered).length === 0) problems.values = ["Enter at least one value."];
  for (const [field, value] of Object.entries(entered)) {
    const read = allowed.includes(field)
      ? readField(field, value, asOf)
      : { problem: "This field can't be corrected for this finding." };
    if ("problem" in read) problems[field] = [read.problem];
    else values[field] = read.value;
  }
  return Object.keys(problems).length > 0 ? { problems } : { values };
}

type ReadField = { value: CorrectedValue } | { problem: string };

function readField(field: string, entered: CorrectedValue, asOf: string): ReadField {
  const text = entered === null ? "" : String(entered).trim();
  if (text === "") return { value: null };
  if (field === "id" || field === "insurance_company") {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0;
    return Number.isSafeInteger(id) && id > 0
      ? { value: id }
      : { problem: "Enter a whole number from 1 to 9,007,199,254,740,991." };
  }
  if (field === "dob") return readEntry("insured_person_dob", text, asOf);
  if (AMOUNTS.includes(field)) return { value: readAmount(text) ?? text };
  return TIMES.includes(field) ? readTime(text, asOf) : readEntry(field, text, asOf);
}

function readTime(text: string, today: string): ReadField {
  // The check rejects what is neither a date nor a time.
  if (readTypedDates(text).length === 0) return { value: text };
  const date = readDate(text, today);
  return "problem" in date ? date : { value: `${date.value}T00:00:00Z` };
}
