import { z } from "zod";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import {
  INSURANCE_FIELDS,
  type InsuranceField,
  type InsuranceFields,
  insuranceInputShape,
  insuranceShape,
} from "@/lib/insurance/fields/fields";
import { RANK_WORDS, RELATIONSHIPS } from "@/lib/insurance/fields/limits";
import type { Row } from "@/lib/platform/db/rows";
import { timezone } from "@/lib/platform/http/timezone";
import { calendarDate, email, reference } from "@/lib/platform/http/validation";
import { smallJson } from "@/lib/platform/metadata";
import { keysOf } from "@/lib/platform/objects";

const text = (max: number) => z.string().max(max);
const optionalText = (max: number) => text(max).nullable();
const optionalEmail = email.nullable();
const shape = <S extends z.ZodRawShape>(fields: S) => z.object(fields).partial();

const address = shape({
  address_line1: text(200),
  address_line2: optionalText(35),
  city: text(50),
  state: text(2),
  zip: text(10).nullable(),
});

const phone = z.object({
  phone: text(50),
  phone_type: z.enum(["Fax", "Home", "Main", "Mobile", "Night", "Other", "Work"]),
});

/** Demographic fields that can't be searched, stored together in one column, with the schemas of the contract's `Patient`. */
export const detailsShape = {
  actual_name: optionalText(150),
  address: address.nullable(),
  emails: z
    .array(shape({ email: optionalEmail }))
    .max(50)
    .nullable(),
  emergency_contact: shape({
    first_name: optionalText(70),
    last_name: optionalText(70),
    relationship: optionalText(30),
    phone: optionalText(20),
    address_line1: optionalText(200),
    address_line2: optionalText(35),
    city: optionalText(50),
    state: optionalText(2),
    zip: optionalText(10),
  }).nullable(),
  employer: z.object({ code: text(50) }).nullable(),
  ethnicity: z.enum(["Declined to specify", "Hispanic or Latino", "No ethnicity specified", "Not Hispanic or Latino"]),
  gender_identity: z.enum([
    "man",
    "nonbinary",
    "option_not_listed",
    "prefer_not_to_say",
    "transgender_man",
    "transgender_woman",
    "two_spirit",
    "unknown",
    "woman",
  ]),
  guarantor: shape({
    first_name: optionalText(105),
    last_name: optionalText(105),
    relationship: z.enum(RELATIONSHIPS).nullable(),
    address: text(200),
    city: text(50),
    state: text(2),
    zip: text(10),
    phone: optionalText(20),
    email: optionalEmail,
  }).nullable(),
  legal_gender_marker: z.enum(["F", "M", "U", "X", "None"]).nullable(),
  legal_gender_marker_display: z.enum(["F", "M", "None Selected", "X", "None"]).nullable(),
  metadata: shape({
    data: z.record(z.string(), z.unknown()).refine(...smallJson),
    object_id: text(200),
    object_web_link: text(2000),
  }).nullable(),
  mothers_maiden_name: optionalText(70),
  notes: optionalText(100_000),
  patient_status: shape({
    deceased_date: calendarDate.nullable(),
    inactive_reason: z.enum(["left_good_terms", "left_bad_terms", "practice_ended", "other", "unknown"]).nullable(),
    notes: optionalText(10_000),
    status: z.enum(["active", "inactive", "prospect", "deceased"]),
  }).nullable(),
  preference: shape({ preferred_pharmacy_1: optionalText(50), preferred_pharmacy_2: optionalText(50) }).nullable(),
  preferred_contact: z.enum(["email", "passport", "phone", "sms"]).nullable(),
  preferred_language: optionalText(200),
  preferred_service_location: reference.nullable(),
  previous_address: address.nullable(),
  previous_first_name: optionalText(70),
  previous_last_name: optionalText(70),
  previous_name: shape({
    first_name: optionalText(70),
    middle_name: optionalText(50),
    last_name: optionalText(70),
    suffix: optionalText(20),
  }).nullable(),
  primary_care_provider_npi: optionalText(10),
  pronouns: z.enum(["he_him_his", "not_listed", "she_her_hers", "they_them_theirs", "None"]).nullable(),
  pronouns_display: z.enum(["He/Him/His", "Option not listed", "She/Her/Hers", "They/Them/Theirs", "None"]).nullable(),
  race: z.enum([
    "American Indian or Alaska Native",
    "Asian",
    "Black or African American",
    "Declined to specify",
    "Native Hawaiian or Other Pacific Islander",
    "No race specified",
    "White",
  ]),
  sexual_orientation: z.enum([
    "asexual",
    "bisexual",
    "gay",
    "lesbian",
    "option_not_listed",
    "prefer_not_to_say",
    "queer",
    "straight",
    "unknown",
  ]),
  sms_opt_in_status: z.boolean().nullable(),
  ssn: optionalText(37),
  suffix: text(20),
  tags: z
    .array(z.unknown())
    .max(200)
    .refine(...smallJson)
    .nullable(),
  timezone: timezone.nullable(),
  verified: z.boolean(),
  vip: z.boolean().nullable(),
} as const;

type SentDetails = Partial<z.output<z.ZodObject<typeof detailsShape>>>;

/** Stored details. A detail that was never sent is absent. Times are ISO 8601, and absent if they equal the patient's `created_date`. */
export type PatientDetails = Omit<SentDetails, "emails" | "patient_status"> & {
  emails?: { email?: string | null; created_date?: string }[] | null;
  patient_status?: (NonNullable<SentDetails["patient_status"]> & { last_status_change?: string }) | null | undefined;
};

export const DETAIL_FIELDS = keysOf(detailsShape);

/** The contract's values for fields that were never sent. */
export const DETAIL_DEFAULTS: Record<string, unknown> = {
  emails: [],
  ethnicity: "No ethnicity specified",
  gender_identity: "unknown",
  race: "No race specified",
  sexual_orientation: "unknown",
  suffix: "",
  tags: [],
  verified: true,
};

/** The status of a patient until another one is sent. */
export const DEFAULT_STATUS = { deceased_date: null, inactive_reason: null, notes: null, status: "active" } as const;

/** One entry of `insurances` in a request. Unknown fields are ignored, as on all legacy paths. */
export const insuranceInput = z
  .object({
    ...insuranceInputShape,
    // Any integer: without Insurance Versioning IDs are ignored, and with it the write rejects unknown ones.
    id: z.int().nullable().optional(),
    rank: z.enum(RANK_WORDS),
  })
  .meta({ title: "PatientInsuranceInput" });
export type InsuranceInput = z.output<typeof insuranceInput>;

/** Values of a patient's sex (contract `Patient`). */
export const SEXES = ["Female", "Male", "Other", "Unknown"] as const;

const searched = {
  caregiver_practice: reference,
  primary_physician: reference,
  first_name: text(70).trim().min(1),
  last_name: text(70).trim().min(1),
  dob: calendarDate,
  sex: z.enum(SEXES),
};

const DEPRECATED =
  "Deprecated on 31 October 2025, unless the practice has another date. Use `/api/2.0/patients/{id}/policies/` instead.";

/** Body of POST and PUT `patients`. */
export const patientInput = z
  .object({
    ...searched,
    middle_name: text(50).optional(),
    phones: z.array(phone).max(50).optional(),
    ...z.object(detailsShape).partial().shape,
    insurances: z
      .array(insuranceInput)
      .max(50)
      .optional()
      .meta({ deprecated: true, description: `${DEPRECATED} If omitted, the insurances are left unchanged.` }),
  })
  .meta({ title: "PatientInput" });

/** Body of PATCH: like PUT, but no field is required. */
export const patientPatch = patientInput.partial().meta({ title: "PatientPatch" });
export type PatientPatch = z.output<typeof patientPatch>;
export type PatientInput = z.output<typeof patientInput>;

/** Body of POST `insurance_cards`. `rank` is 1 (primary) to 3 (tertiary), `side` is 1 (front), 2 (back) or up to 9. */
export const cardInput = z
  .object({
    rank: z.int().min(1).max(3),
    side: z.int().min(1).max(9),
    image: z.object({ base64_content: z.string(), original_filename: z.string().max(255) }),
  })
  .meta({ title: "InsuranceCardInput" });

/** A patient as stored. Dates `YYYY-MM-DD`, times ISO 8601. */
export type PatientRow = Omit<Row<"patient">, "source_fingerprint" | "details"> & { details: PatientDetails };

/** A stored phone, with the bare digits that the patients list searches by. */
export interface StoredPhone extends z.output<typeof phone> {
  digits: string;
  created_date: string;
}

/** A legacy insurance as stored. */
export type InsuranceRow = Omit<Row<"patient_insurance">, InsuranceField> & InsuranceFields;

/** A legacy insurance in responses. */
export const insuranceResponse = z
  .object({
    ...insuranceShape,
    id: z.int(),
    rank: z.enum(RANK_WORDS),
    created_date: z.iso.datetime().nullable(),
    deleted_date: z.iso.datetime().nullable(),
  })
  .meta({ title: "PatientInsurance" });

const time = z.iso.datetime();
const legacy = z.array(insuranceResponse).optional().meta({ deprecated: true, description: DEPRECATED });

/** A consent in the contract's `Patient`. Crosswalk records none, so the list is always empty. */
const consent = z
  .object({ application: z.string(), consented: z.boolean(), is_active: z.boolean(), last_modified_date: time })
  .partial();

const { emails, emergency_contact: contact, employer, guarantor, patient_status: status } = detailsShape;
const dates = { created_date: time.nullable(), deleted_date: time.nullable() };
const nullableText = z.string().nullable();

/** Details with the parts that only responses have. */
const shownDetails = {
  ...detailsShape,
  emails: z.array(emails.unwrap().element.extend(dates)).nullable(),
  emergency_contact: contact.unwrap().extend({ id: z.int() }).nullable(),
  employer: employer.unwrap().extend({ name: nullableText, description: nullableText }).nullable(),
  guarantor: guarantor.unwrap().extend({ id: z.int() }).nullable(),
  patient_status: status.unwrap().extend({ last_status_change: time }).nullable(),
};

/** A patient in responses: the contract's `Patient`. Both insurance arrays are absent once the deadline is enforced. */
export const patientResponse = z
  .object({
    id: z.int(),
    ...searched,
    middle_name: z.string(),
    phones: z.array(phone.extend(dates)),
    ...shownDetails,
    consents: z.array(consent),
    occupation: optionalText(100),
    merged_into_chart: z.int().nullable(),
    master_patient: z.int(),
    primary_care_provider: z.int(),
    created_date: time,
    last_modified: time,
    deleted_date: time.nullable(),
    insurances: legacy,
    deleted_insurances: legacy,
  })
  .meta({ title: "Patient" });

/** The cards of a patient at one rank, in responses. */
export const cardResponse = z
  .object({
    rank: z.int(),
    images: z.array(z.object({ side: z.int(), ttl: z.int(), url: z.string() })),
  })
  .meta({ title: "InsuranceCard" });

/** The columns of the legacy insurance table, in the order every statement uses. */
export const INSURANCE_COLUMNS = [
  "id",
  "patient_id",
  "practice_id",
  "policy_id",
  "external_id",
  "rank",
  ...INSURANCE_FIELDS,
  "created_date",
  "deleted_date",
] as const satisfies readonly (keyof InsuranceRow)[];

/** A legacy card image and its priority. */
export type LegacyCardRow = Row<"legacy_card", "rank"> & PlacedImage;
