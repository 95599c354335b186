import { z } from "zod";
import { letters } from "@/lib/records/catalog/patient-document/letters";
import {
  day,
  defaulted,
  integer,
  list,
  optional,
  patientColumn,
  practiceColumn,
  readOnly,
  reference,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";
import { medicalSpecialty } from "@/lib/records/rules/medical-specialties";
import { documentResolutionState, icd10Code } from "@/lib/records/rules/nested-schemas";

const referralLetter = z.object({
  body: text(),
  delivery_date: time.nullable(),
  id: reference,
  sign_date: time.nullable(),
});

/** A referral of a patient to a specialist. The letter to the specialist names it, and its signature signs the referral. */
export const referralOrders = defineResource({
  name: "referral_orders",
  title: "ReferralOrder",
  noun: "referral order",
  owner: "patient",
  operations: ["list", "create", "get", "replace", "update"],
  fields: {
    auth_number: required(text(20).nullable()),
    authorization_for: optional(
      z.enum([
        "Consult (One Visit Only)",
        "Procedure / Testing Only",
        "Referral For Treatment, includes Consult Visit",
      ]),
    ),
    authorization_for_short: optional(text()),
    consultant_name: required(text(1_024).nullable()),
    date_for_reEval: required(day.nullable()),
    icd10_codes: defaulted(list(icd10Code), []),
    letter: readOnly(reference.meta({ deprecated: true })),
    patient: patientColumn,
    practice: practiceColumn,
    referral_letter: readOnly(referralLetter),
    resolution: defaulted(documentResolutionState),
    short_consultant_name: required(text(1_024).nullable()),
    sign_date: readOnly(time.nullable(), null),
    signed_by: readOnly(integer()),
    specialty: required(medicalSpecialty),
  },
  filters: [],
  serialize: async (records, { reader }) => {
    const ids = records.map(({ id }) => id);
    const found = await reader.recordsWhere(letters, "referral_order", ids);
    return ids.map((id) => {
      const letter = found.findLast(({ data }) => data.referral_order === id);
      if (!letter) return {};
      const { body, delivery_date, sign_date, signed_by } = letter.data;
      return {
        letter: letter.id,
        referral_letter: { id: letter.id, body, delivery_date, sign_date },
        sign_date,
        signed_by: signed_by ?? undefined,
      };
    });
  },
});
