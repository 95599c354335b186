import { z } from "zod";
import {
  createdDate,
  day,
  defaulted,
  deletedDate,
  optional,
  patientColumn,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";

/** A drug that a patient does not tolerate, without being allergic to it. */
export const drugIntolerances = defineResource({
  name: "drug_intolerances",
  title: "PatientDrugIntolerance",
  noun: "drug intolerance",
  owner: "patient",
  operations: OPERATIONS,
  fields: {
    created_date: createdDate,
    deleted_date: deletedDate,
    name: required(text()),
    patient: patientColumn,
    reaction: optional(text(200)),
    // Empty if the severity is unknown.
    severity: defaulted(z.enum(["255604002", "6736007", "24484000", ""])),
    start_date: optional(day),
    status: defaulted(z.literal([1, 2])),
  },
  filters: ["patient"],
});
