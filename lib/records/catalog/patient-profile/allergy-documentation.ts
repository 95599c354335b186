import { createdDate, deletedDate, patientColumn } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** A statement that a patient was asked about allergies and has none. */
export const allergyDocumentation = defineResource({
  name: "allergy_documentation",
  title: "PatientAllergyDocumentation",
  noun: "allergy documentation",
  owner: "patient",
  operations: ["list", "create", "get", "delete"],
  fields: { created_date: createdDate, deleted_date: deletedDate, patient: patientColumn },
  filters: ["patient"],
});
