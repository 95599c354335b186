import { z } from "zod";
import {
  createdDate,
  day,
  defaultedPracticeColumn,
  deletedDate,
  integer,
  optional,
  patientColumn,
  reference,
  refersTo,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";
import { vaccine } from "./vaccine";

const infoSource = z.enum([
  "Historical information - from birth certificate",
  "Historical information - from other provider",
  "Historical information - from other registry",
  "Historical information - from parent's recall",
  "Historical information - from parent's written record",
  "Historical information - from public agency",
  "Historical information - from school record",
  "Historical information - source unspecified",
  "New immunization record",
]);

const publicityCode = z.enum([
  "No reminder/recall",
  "Only recall to provider, no reminder",
  "Only reminder to provider, no recall",
  "Recall only - any method",
  "Recall only - no calls",
  "Recall to provider",
  "Reminder only - any method",
  "Reminder only - no calls",
  "Reminder to provider",
  "Reminder/recall - any method",
  "Reminder/recall - no calls",
  "Reminder/recall - to provider",
]);

const immunizationVaccine = z.object({
  cdc_name: text().nullable().optional(),
  cdc_type: text().nullable().optional(),
  cvx: integer().nullable().optional(),
  name: text().optional(),
});

const vfcEligibility = z.enum([
  "317",
  "CA State General Fund Vaccines",
  "CHIP",
  "HI Adult Insured",
  "HI Adult Not Insured",
  "HI Birthing Hospital Hepatitis B",
  "Local-specific eligibility",
  "ME State Eligible - Insured - Under 19",
  "Medicare",
  "Not VFC eligible",
  "OR Locally Owned",
  "OR Special Projects",
  "State program eligibility",
  "VFC eligible - American Indian/Alaskan Native",
  "VFC eligible - Medicaid/Medicaid Managed Care",
  "VFC eligible - Under-insured",
  "VFC eligible - Uninsured",
]);

/** A vaccine given to a patient. */
export const immunizations = defineResource({
  name: "immunizations",
  title: "PatientImmunization",
  noun: "immunization",
  owner: "patient",
  operations: ["list", "create", "get", "delete"],
  fields: {
    administered_date: required(time),
    administering_physician: refersTo(required(reference.nullable()), "physicians"),
    allowed_sharing: optional(z.boolean()),
    created_date: createdDate,
    deleted_date: deletedDate,
    description: optional(text(255)),
    dose_in_series: optional(integer()),
    expiration_date: optional(day),
    funding_source: optional(
      z.enum([
        "Privately funded vaccine stock",
        "Publicly funded vaccine stock",
        "Publicly funded vaccine stock - Non-VFC",
        "Publicly funded vaccine stock - VFC",
      ]),
    ),
    info_source: optional(infoSource),
    lot_number: optional(text(255)),
    manufacturer_code: optional(text(255)),
    manufacturer_name: optional(text(255)),
    method: optional(text(255)),
    ndc: optional(text(31)),
    notes: optional(text()),
    ordering_physician: refersTo(required(reference.nullable()), "physicians"),
    patient: patientColumn,
    patient_consent: optional(z.boolean()),
    practice: defaultedPracticeColumn,
    priority_population: optional(text(8)),
    publicity_code: optional(publicityCode),
    qty: required(text().nullable()),
    qty_units: optional(text(100)),
    reason: optional(text()),
    service_location_id: refersTo(optional(reference), "service_locations"),
    site: optional(text(255)),
    vaccine: required(immunizationVaccine),
    vfc_eligibility: optional(vfcEligibility),
    vis: optional(text()),
    vis_given_date: optional(day),
  },
  filters: ["patient"],
  sortFields: ["administered_date"],
  // Vaccines with a known CVX code take its names.
  beforeWrite: async ({ data, reader }) => {
    if (!data.vaccine.cvx) return data;
    const [known] = await reader.recordsWhere(vaccine, "cvx", [data.vaccine.cvx]);
    if (!known) return data;
    const { name, description, cdc_type } = known.data;
    return { ...data, vaccine: { ...data.vaccine, name, cdc_name: description || name, cdc_type } };
  },
});
