import {
  createdDate,
  defaultedPracticeColumn,
  deletedDate,
  modifiedDate,
  optional,
  reference,
  refersTo,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";

/** A list of the tests that a laboratory offers. */
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
    // The contract has it only as a filter. A compendium of a shared laboratory has no other sign of its practice.
    practice_created: defaultedPracticeColumn,
  },
  filters: ["code", "lab_vendor", "name", "practice_created"],
});
