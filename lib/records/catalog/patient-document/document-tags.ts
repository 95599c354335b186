import { z } from "zod";
import {
  createdDate,
  defaultedPracticeColumn,
  deletedDate,
  optional,
  readOnly,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

const codeType = z.enum(["CPT", "CPTII", "CVX", "EL8", "HCPCS", "HL7", "ICD10", "ICD9", "LOINC", "RXNORM", "SNOMED"]);

const conceptName = z.enum([
  "cognitive-assessment",
  "depression-screening-adolescent-declined",
  "depression-screening-adult-declined",
  "diet-counsel",
  "dietic-service-referral",
  "dietician-referral",
  "exercise-counsel",
  "falls-assessment",
  "flu-vaccine-contraindicated",
  "flu-vaccine-declined",
  "flu-vaccine-elsewhere",
  "flu-vaccine-referred",
  "hospice-care",
  "hpv-test",
  "nutrition-counsel",
  "pap-smear",
  "phys-activity-counsel",
  "procedure-contraindicated",
  "tobacco-counsel-long",
  "tobacco-counsel-short",
  "unable-to-walk",
  "wt-mgmt-referral",
]);

/** A tag for a practice's documents, with an optional code. */
export const documentTags = defineResource({
  name: "document_tags",
  title: "CodedDocumentTag",
  noun: "document tag",
  owner: "practice",
  shared: true,
  operations: ["list", "create", "get", "replace", "update"],
  fields: {
    code: optional(text(50)),
    code_type: optional(codeType),
    concept_name: optional(conceptName),
    context: optional(text(15)),
    created_date: createdDate,
    deleted_date: deletedDate,
    description: optional(text(500)),
    practice_created: defaultedPracticeColumn,
    snomed_result_code: readOnly(text().nullable(), null),
    value: required(text(100)),
  },
  filters: ["code", "practice_created", "value"],
});
