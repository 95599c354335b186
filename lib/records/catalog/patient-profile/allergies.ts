import { z } from "zod";
import {
  createdDate,
  day,
  defaulted,
  deletedDate,
  optional,
  patientColumn,
  readOnly,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";

/** An allergy of a patient. */
export const allergies = defineResource({
  name: "allergies",
  title: "PatientAllergy",
  noun: "allergy",
  owner: "patient",
  operations: OPERATIONS,
  fields: {
    created_date: createdDate,
    deleted_date: deletedDate,
    medispandnid: readOnly(text(), ""),
    medispanid: readOnly(text(), ""),
    name: required(text()),
    patient: patientColumn,
    reaction: optional(text(200)),
    severity: defaulted(z.enum(["mild", "moderate", "severe", "unknown"])),
    start_date: optional(day),
    status: defaulted(z.enum(["Active", "Inactive"])),
  },
  filters: ["patient"],
});
