import {
  createdDate,
  deletedDate,
  optional,
  practiceColumn,
  readOnly,
  reference,
  refersTo,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";
import { labOrderContent } from "@/lib/records/rules/nested-schemas";

/** Tests that are ordered together. */
export const labOrderSets = defineResource({
  name: "lab_order_sets",
  title: "LabOrderSet",
  noun: "lab order set",
  owner: "practice",
  operations: OPERATIONS,
  fields: {
    compendium_code: readOnly(text(), ""),
    content: required(labOrderContent),
    created_date: createdDate,
    deleted_date: deletedDate,
    lab_vendor: refersTo(optional(reference), "lab_vendors"),
    name: required(text(250)),
    practice: practiceColumn,
  },
  filters: [],
});
