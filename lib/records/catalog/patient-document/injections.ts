import { z } from "zod";
import {
  createdDate,
  day,
  decimal,
  defaulted,
  deletedDate,
  integer,
  list,
  optional,
  readOnly,
  readOnlyPatientColumn,
  readOnlyPracticeColumn,
  reference,
  refersTo,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

const doseUnit = z.enum(["dL", "g", "kg", "kL", "L", "mCi", "mg", "mL", "ug", "uL", "tab"]);

const actor = z.object({
  name: text(),
  type: text().readonly().optional(),
  user_id: integer().nullable().readonly().optional(),
});

const diagnosisCode = z.object({ code: text(50), system: text() });

const procedureCodes = z.object({
  code: text(10),
  dxs: list(diagnosisCode),
  modifier_1: text(255).nullable().optional(),
  modifier_2: text(255).nullable().optional(),
  modifier_3: text(255).nullable().optional(),
  modifier_4: text(255).nullable().optional(),
});

const site = z.enum([
  "Abdomen",
  "R Anterolateral Thigh",
  "L Anterolateral Thigh",
  "R Posterior Upper Arm",
  "L Posterior Upper Arm",
  "R Upper Arm",
  "L Upper Arm",
  "R Deltoid",
  "L Deltoid",
  "R Gluteus Maximus",
  "L Gluteus Maximus",
  "R Gluteus Medius",
  "L Gluteus Medius",
  "R Thigh",
  "L Thigh",
  "Back",
  "R Forearm",
  "L Forearm",
  "R Antecubital Fossa",
  "L Antecubital Fossa",
  "R Hand",
  "L Hand",
  "Other",
]);

/** An injection given to a patient. */
export const injections = defineResource({
  name: "injections",
  title: "Injection",
  noun: "injection",
  owner: "patient",
  operations: ["list", "get"],
  fields: {
    contraindication: optional(text()),
    created_date: createdDate,
    deleted_date: deletedDate,
    dose: required(decimal(18, 9).nullable()),
    dose_in_series: optional(integer(0)),
    dose_unit: optional(doseUnit),
    expiration_date: optional(day),
    given_by: optional(actor),
    given_date: required(time),
    is_confidential: readOnly(z.boolean(), false),
    is_new: defaulted(z.boolean(), false),
    is_permanent: defaulted(z.boolean(), false),
    lot_number: optional(text(255)),
    manufacturer: optional(text()),
    method: optional(z.enum(["Intravenous", "Intramuscular", "Subcutaneous", "Intradermal", "Other"])),
    ndc: required(text().nullable()),
    notes: optional(text()),
    ordered_by: optional(actor),
    packaged_medication_id: readOnly(reference.nullable(), null),
    patient: readOnlyPatientColumn,
    practice: readOnlyPracticeColumn,
    procedures: optional(procedureCodes),
    reason: optional(text()),
    reference_medication_id: readOnly(reference),
    service_location_id: refersTo(optional(reference), "service_locations"),
    site: optional(site),
  },
  filters: ["id"],
});
