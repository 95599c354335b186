import { reference, text } from "@/lib/records/engine/field-types";
import {
  createdDate,
  defaultedPracticeColumn,
  defineResource,
  deletedDate,
  modifiedDate,
  OPERATIONS,
  optional,
  refersTo,
  required,
} from "@/lib/records/engine/schema";

/** The list of tests a laboratory offers. */
export const labOrderCompendiums = defineResource({
  name: "lab_order_compendiums",
  title: "LabOrderTestCompendium",
  noun: "lab order compendium",
  owner: { field: "lab_vendor" },
  operations: OPERATIONS,
  fields: {
    code: optional(text(200)),
    created_date: createdDate,
    deleted_date: deletedDate,
    lab_vendor: refersTo(required(reference), "lab_vendors"),
    last_updated: modifiedDate,
    name: required(text(200)),
    // The contract filters the list by it, and has it nowhere else: under everybody's laboratory nothing else says whose this is.
    practice_created: defaultedPracticeColumn,
  },
  filters: ["code", "lab_vendor", "name", "practice_created"],
});
