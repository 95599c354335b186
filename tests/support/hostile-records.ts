// Hostile records: one for each kind of defect in each possible place.

import { legacyInsurance, legacyPatient, pastInsurance } from "./legacy-export";

export interface HostileRecord {
  name: string;
  /** The code that reports it; null if the record converts anyway. */
  code: string | null;
  line: string;
}

type Fields = Record<string, unknown>;
type Place = "current" | "past";

const NUL = "nul \u0000 within";
const HALF = "half \ud83d";

/** Values of one field of a current and of a past insurance, with the code that reports each. */
export const HOSTILE_INSURANCE: readonly [
  field: string,
  what: string,
  value: unknown,
  current: string | null,
  past: string | null,
][] = [
  ["id", "missing", undefined, "insurance_id_invalid", "insurance_id_invalid"],
  ["id", "null", null, "insurance_id_invalid", "insurance_id_invalid"],
  ["id", "text", "INS-1", "insurance_id_invalid", "insurance_id_invalid"],
  ["id", "digits as text", "990001", "insurance_id_invalid", "insurance_id_invalid"],
  ["id", "over 2^53", 9_007_199_254_740_992, "insurance_id_invalid", "insurance_id_invalid"],
  ["id", "zero", 0, "insurance_id_invalid", "insurance_id_invalid"],
  ["id", "negative", -3, "insurance_id_invalid", "insurance_id_invalid"],
  ["id", "a fraction", 1.5, "insurance_id_invalid", "insurance_id_invalid"],
  ["rank", "missing", undefined, "rank_missing", "past_rank_invalid"],
  ["rank", "unknown", "fourth", "rank_unknown", "past_rank_invalid"],
  ["rank", "a number", 1, "rank_unknown", "past_rank_invalid"],
  ["carrier", "a number", 7, "text_expected", "text_expected"],
  ["carrier", "NUL", NUL, "text_unstorable", "text_unstorable"],
  ["carrier", "too long", "x".repeat(201), "field_too_long", "past_field_too_long"],
  ["carrier", "an object", { name: "Humana" }, "text_expected", "text_expected"],
  ["insurance_company", "unknown", 999, "company_unknown", "company_unknown"],
  ["insurance_company", "text", "Humana", "company_id_invalid", "company_id_invalid"],
  ["insurance_company", "digits as text", "5000", "company_id_invalid", "company_id_invalid"],
  ["insurance_company", "zero", 0, "company_id_invalid", "company_id_invalid"],
  ["insurance_company", "over 2^53", 9_007_199_254_740_994, "company_id_invalid", "company_id_invalid"],
  ["insurance_plan", "text", "Gold", "insurance_field_invalid", "insurance_field_invalid"],
  ["plan", "a list", ["Gold"], "text_expected", "text_expected"],
  ["plan", "half a character", HALF, "text_unstorable", "text_unstorable"],
  ["member_id", "a number", 12345, "text_expected", "text_expected"],
  ["member_id", "a number over 2^53", 9_007_199_254_740_994, "text_expected", "text_expected"],
  ["member_id", "a number out of range", Number.POSITIVE_INFINITY, "text_expected", "text_expected"],
  ["member_id", "NUL", NUL, "text_unstorable", "text_unstorable"],
  ["member_id", "51 emoji", "💊".repeat(51), "field_too_long", "past_field_too_long"],
  ["member_id", "50 emoji", "💊".repeat(50), null, null],
  ["group_id", "true", true, "text_expected", "text_expected"],
  ["group_id", "half a character", HALF, "text_unstorable", "text_unstorable"],
  ["copay", "a number", 20, "decimal_invalid", "past_decimal_invalid"],
  ["copay", "a sign", "-", "decimal_invalid", "past_decimal_invalid"],
  ["copay", "a point", ".", "decimal_invalid", "past_decimal_invalid"],
  ["copay", "a sign and a point", "-.", "decimal_invalid", "past_decimal_invalid"],
  ["deductible", "a currency", "$1,000", "decimal_invalid", "past_decimal_invalid"],
  ["deductible", "nine digits", "123456789", "decimal_invalid", "past_decimal_invalid"],
  ["start_date", "no leading zeros", "2010-1-5", "date_invalid", "past_date_invalid"],
  ["start_date", "a number", 20100105, "date_invalid", "past_date_invalid"],
  ["start_date", "year 0", "0000-01-01", "date_invalid", "past_date_invalid"],
  ["end_date", "no such day", "2023-02-30", "date_invalid", "past_date_invalid"],
  ["end_date", "before the start", "2001-01-01", "date_order", "past_date_order"],
  ["end_date", "beyond the calendar", "292278994-08-17", "date_invalid", null],
  ["payment_program", "unknown", "Charity", "payment_program_unknown", "payment_program_unknown"],
  ["payment_program", "lower case", "medicaid", "payment_program_unknown", "payment_program_unknown"],
  ["payment_program", "a number", 3, "payment_program_unknown", "payment_program_unknown"],
  ["relationship_to_insured", "unknown", "Cousin", "relationship_unknown", "past_relationship_unknown"],
  ["relationship_to_insured", "self", "Self", "relationship_unknown", "past_relationship_unknown"],
  ["insured_person_gender", "a word", "Female", "field_too_long", "past_field_too_long"],
  ["zip", "a number", 2134, "text_expected", "text_expected"],
  ["created_date", "no zone", "2010-01-01T09:00:00", "time_invalid", "time_invalid"],
  ["created_date", "no time", "yesterday", "time_invalid", "time_invalid"],
  ["created_date", "in the future", "2999-01-01T00:00:00Z", "time_in_future", "time_in_future"],
  ["deleted_date", "no time", "never", "time_invalid", "time_invalid"],
  ["deleted_date", "a time", "2014-06-01T00:00:00Z", "current_deleted", null],
];

/** Values of one field of a patient. */
export const HOSTILE_PATIENT: readonly [field: string, what: string, value: unknown, code: string | null][] = [
  ["id", "missing", undefined, "patient_id_invalid"],
  ["id", "null", null, "patient_id_invalid"],
  ["id", "text", "MRN-1", "patient_id_invalid"],
  ["id", "over 2^53", 9_007_199_254_740_992, "patient_id_invalid"],
  ["id", "a text with NUL", "id\u0000", "patient_id_invalid"],
  ["sex", "lower case", "male", "sex_unknown"],
  ["sex", "null", null, "sex_unknown"],
  ["sex", "a letter", "F", "sex_unknown"],
  ["sex", "a number", 1, "sex_unknown"],
  ["first_name", "a number", 7, "text_expected"],
  ["first_name", "blank", "  ", "patient_identity_missing"],
  ["first_name", "too long", "x".repeat(71), "patient_field_too_long"],
  ["last_name", "NUL", NUL, "text_unstorable"],
  ["last_name", "half a character", HALF, "text_unstorable"],
  ["middle_name", "null", null, "patient_field_invalid"],
  ["dob", "in the future", "2999-01-01", "patient_dob_invalid"],
  ["dob", "a number", 19800517, "patient_dob_invalid"],
  ["ssn", "too long", "9".repeat(38), "patient_field_too_long"],
  ["ssn", "a number", 999_000_000, "text_expected"],
  ["notes", "NUL", NUL, "text_unstorable"],
  ["race", "unknown", "martian", "patient_field_invalid"],
  ["ethnicity", "null", null, "patient_field_invalid"],
  ["timezone", "unknown", "Mars/Base", "patient_field_invalid"],
  ["primary_physician", "text", "Dr. No", "patient_field_invalid"],
  ["address", "a text", "1 Elm St", "patient_field_invalid"],
  ["address", "a number in it", { city: 7 }, "text_expected"],
  ["phones", "a text", "555-0100", "patient_field_invalid"],
  ["phones", "an unknown type", [{ phone: "555-0100", phone_type: "Cell" }], "patient_field_invalid"],
  ["emails", "not an address", [{ email: "nobody" }], "patient_field_invalid"],
  ["created_date", "no time", "soon", "time_invalid"],
  ["deleted_date", "a time", "2024-01-01T00:00:00Z", "patient_deleted_there"],
  ["unheard_of", "NUL in a field that is not read", NUL, null],
];

/** Builds records with one defect each. `image` is a card image in base64; IDs count from `first`. */
export function hostileRecords({ image, first = 1 }: { image: string; first?: number }): HostileRecord[] {
  let n = first;
  const created: HostileRecord[] = [];
  const add = (name: string, code: string | null, change: (patient: Fields, ids: number[]) => Fields) => {
    const ids = [1, 2, 3, 4].map((at) => 10 * n + at);
    const patient = legacyPatient(n, {
      insurances: [legacyInsurance(10 * n)],
      deleted_insurances: [pastInsurance(10 * n + 5)],
    });
    created.push({ name, code, line: writeNumbers(change(patient, ids) as Fields) });
    n++;
  };
  for (const [field, what, value, code] of HOSTILE_PATIENT) {
    add(`patient ${field}: ${what}`, code, (patient) => ({ ...patient, [field]: value }));
  }
  for (const place of ["current", "past"] as const satisfies readonly Place[]) {
    const list = place === "current" ? "insurances" : "deleted_insurances";
    for (const [field, what, value, current, past] of HOSTILE_INSURANCE) {
      add(`${place} insurance ${field}: ${what}`, place === "current" ? current : past, (patient) => {
        const [insurance] = patient[list] as Fields[];
        // An ID on two records would be a second defect.
        const own = field === "id" && place === "past" && typeof value === "string" ? `${value}1` : value;
        return { ...patient, [list]: [{ ...insurance, [field]: own }] };
      });
    }
  }
  add("one ID both current and past", "insurance_id_twice", (patient) => {
    const [{ id }] = patient.insurances as [Fields];
    return { ...patient, deleted_insurances: [pastInsurance(id as number)] };
  });
  add("one past ID twice", "insurance_id_twice", (patient) => {
    const past = patient.deleted_insurances as Fields[];
    return { ...patient, deleted_insurances: [...past, ...past] };
  });
  add("past insurance without an end date", "past_end_missing", (patient, [id]) => ({
    ...patient,
    deleted_insurances: [pastInsurance(id as number, { end_date: null, deleted_date: null })],
  }));
  add("past insurance deleted before it was created", "past_date_order", (patient, [id]) => ({
    ...patient,
    deleted_insurances: [pastInsurance(id as number, { deleted_date: "2009-01-01T00:00:00Z" })],
  }));
  const card = (fields: Fields) => (patient: Fields) => ({
    ...patient,
    insurance_cards: [{ rank: 1, images: [{ side: 1, base64_content: image }], ...fields }],
  });
  add("card of rank 4", "card_invalid", card({ rank: 4 }));
  add("card with two images of one side", "card_invalid", (patient) =>
    card({ images: [1, 1].map((side) => ({ side, base64_content: image })) })(patient),
  );
  return created;
}

/** Writes a record as JSON, with numbers out of range. */
export const writeNumbers = (record: object): string =>
  JSON.stringify(record, (_key, value) => (value === Number.POSITIVE_INFINITY ? "huge" : value)).replaceAll(
    '"huge"',
    "1e400",
  );
