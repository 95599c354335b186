import { z } from "zod";
import {
  createdDate,
  day,
  defaulted,
  deletedDate,
  integer,
  list,
  optional,
  patientColumn,
  readOnlyPracticeColumn,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";

const imoCodeRelation = z.object({
  icd10: list(text()).optional(),
  icd9: list(text()).optional(),
  snomed: text().optional(),
});

/** An entry of a patient's problem list, with its diagnoses. */
export const problems = defineResource({
  name: "problems",
  title: "PatientProblem",
  noun: "problem",
  owner: "patient",
  operations: OPERATIONS,
  fields: {
    created_date: createdDate,
    deleted_date: deletedDate,
    description: required(text(200)),
    dx: required(list(imoCodeRelation)),
    patient: patientColumn,
    practice: readOnlyPracticeColumn,
    rank: defaulted(integer()),
    resolved_date: optional(day),
    start_date: required(day),
    status: required(z.enum(["Active", "Controlled", "Resolved"])),
    synopsis: defaulted(text(), ""),
    verification_status: optional(
      z.enum(["confirmed", "differential", "entered_in_error", "provisional", "refuted", "unconfirmed"]),
    ),
  },
  filters: ["created_date__gte", "created_date__lte", "patient", "practice", "status"],
});
