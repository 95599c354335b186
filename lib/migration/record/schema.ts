import { z } from "zod";
import { insuranceInputShape } from "@/lib/insurance/fields/fields";
import { RANK_WORDS } from "@/lib/insurance/fields/limits";
import { patientInput } from "@/lib/insurance/patients/schema";
import { companyInput } from "@/lib/insurance/payers/schema";
import { timeParam } from "@/lib/platform/http/query";
import { reference } from "@/lib/platform/http/validation";
import { isBeyondCalendar } from "./raw-record";

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
/** A legacy insurance as read. IDs of payers and plans are those of the export. */
export type LegacyInsurance = z.output<typeof legacyInsurance>;

const knownEnd = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (isBeyondCalendar(value) ? null : value), schema);

/** A past insurance. An end beyond the calendar is unknown. */
export const pastInsurance = legacyInsurance.extend({
  end_date: knownEnd(legacyInsurance.shape.end_date),
  deleted_date: knownEnd(legacyInsurance.shape.deleted_date),
});

/** A phone as read. Deleted phones are included, with the date. */
const phone = patientInput.shape.phones.unwrap().element.extend({ deleted_date: time });

const stagedCard = z.object({
  rank: z.int().min(1).max(3),
  images: z.array(z.object({ side: z.int().min(1).max(9), sha256: z.string() })).max(9),
});

/**
 * A patient of a legacy export, as `GET patients` returns it, with hashes in place of card images. Unknown fields are
 * ignored.
 */
export const stagedPatient = patientInput.omit({ caregiver_practice: true, insurances: true }).extend({
  id: reference,
  primary_physician: reference.nullish(),
  phones: list(phone, 50).transform((phones) => phones.filter(({ deleted_date }) => !deleted_date)),
  created_date: time,
  deleted_date: z.null({ error: "The patient was deleted in the source system." }).optional(),
  insurances: list(legacyInsurance, 50),
  deleted_insurances: list(pastInsurance, 10_000),
  insurance_cards: list(stagedCard, 3),
});
export type StagedPatient = z.output<typeof stagedPatient>;

/** A payer of a companies file, with its ID in the export. */
export const legacyCompany = companyInput.omit({ practice: true }).extend({ id: reference });
