import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  optional,
  patientColumn,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

const patientFamilyHistoryRelationship = z.enum([
  "Aunt",
  "Brother",
  "Daughter",
  "Father",
  "Grandfather",
  "Grandmother",
  "Mother",
  "Other",
  "Sister",
  "Son",
  "Uncle",
]);

/** A disease in a patient's family. */
export const familyHistories = defineResource({
  name: "family_histories",
  title: "PatientFamilyHistory",
  noun: "family history",
  owner: "patient",
  operations: ["list", "create", "get", "delete"],
  fields: {
    created_date: createdDate,
    deleted_date: deletedDate,
    icd9_code: optional(text()),
    patient: patientColumn,
    rank: defaulted(integer()),
    relationship: required(patientFamilyHistoryRelationship),
    snomed_code: optional(text()),
    text: defaulted(text(), ""),
  },
  filters: ["patient", "practice"],
});
