import { z } from "zod";
import { insuranceInputShape } from "@/lib/insurance/fields/fields";
import { RANK_WORDS } from "@/lib/insurance/fields/ranks";
import { patientInput } from "@/lib/insurance/patients/schema";
import { companyInput } from "@/lib/insurance/payers/schema";
import { timeParam } from "@/lib/platform/http/query";
import { reference } from "@/lib/platform/http/validation";
import { decodeBase64 } from "@/lib/platform/storage/process-image";

/** Treats blank text as null, as legacy exports do (migration checks, "Blank"). */
function blankAsNull<S extends z.ZodType>(schema: S) {
  return z.preprocess((value) => (typeof value === "string" && value.trim() === "" ? null : value), schema);
}

const time = timeParam({ zone: "required" }).nullish();

const list = <S extends z.ZodType>(entry: S, max: number) =>
  z
    .array(entry)
    .max(max)
    .nullish()
    .transform((entries) => entries ?? []);

/** A legacy insurance in an export. */
export const legacyInsurance = z.object({
  ...insuranceInputShape,
  copay: blankAsNull(insuranceInputShape.copay),
  deductible: blankAsNull(insuranceInputShape.deductible),
  start_date: blankAsNull(insuranceInputShape.start_date),
  end_date: blankAsNull(insuranceInputShape.end_date),
  payment_program: blankAsNull(insuranceInputShape.payment_program),
  relationship_to_insured: blankAsNull(insuranceInputShape.relationship_to_insured),
  id: reference,
  rank: z.preprocess((value) => (typeof value === "string" ? value.trim().toLowerCase() : value), z.enum(RANK_WORDS)),
  created_date: time,
  deleted_date: time,
});
/** A legacy insurance as read. Ids of payers and plans are those of the export. */
export type LegacyInsurance = z.output<typeof legacyInsurance>;

/**
 * Returns whether a time is beyond the calendar: some systems write their last time (`292278994-08-17`) as the unknown
 * end of a past insurance.
 */
export function isBeyondCalendar(value: unknown): boolean {
  return typeof value === "string" && /^\+?\d{5,}-/.test(value.trim());
}

const knownEnd = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (isBeyondCalendar(value) ? null : value), schema);

/** A past insurance. An end beyond the calendar is unknown. */
export const pastInsurance = legacyInsurance.extend({
  end_date: knownEnd(legacyInsurance.shape.end_date),
  deleted_date: knownEnd(legacyInsurance.shape.deleted_date),
});

/** Decodes an image at once, because its text is a third longer. */
const image = z.string().transform((text, context) => {
  try {
    const bytes = decodeBase64(text, "base64_content");
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch {
    context.addIssue("Is not base64.");
    return z.NEVER;
  }
});

const card = z.object({
  rank: z.int().min(1).max(3),
  images: z.array(z.object({ side: z.int().min(1).max(9), base64_content: image })).max(9),
});

/** A phone as read. Deleted phones are included, with the date. */
const phone = patientInput.shape.phones.unwrap().element.extend({ deleted_date: time });

/** A patient of a legacy export, as `GET patients` returns it, with its cards. Unknown fields are ignored. */
export const legacyPatient = patientInput.omit({ caregiver_practice: true, insurances: true }).extend({
  id: reference,
  primary_physician: reference.nullish(),
  phones: list(phone, 50).transform((phones) => phones.filter(({ deleted_date }) => !deleted_date)),
  created_date: time,
  deleted_date: z.null({ error: "The patient was deleted there." }).optional(),
  insurances: list(legacyInsurance, 50),
  deleted_insurances: list(pastInsurance, 10_000),
  insurance_cards: list(card, 3),
});
export type LegacyPatient = z.output<typeof legacyPatient>;

/** A payer of a companies file, with its id in the export. */
export const legacyCompany = companyInput.omit({ practice: true }).extend({ id: reference });
