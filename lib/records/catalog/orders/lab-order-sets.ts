import { reference, text } from "@/lib/records/engine/field-types";
import {
  createdDate,
  defineResource,
  deletedDate,
  OPERATIONS,
  ofPractice,
  optional,
  readOnly,
  referring,
  required,
} from "@/lib/records/engine/schema";
import { labOrderContent } from "@/lib/records/rules/nested-schemas";

/** Tests that a practice orders together. */
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
    lab_vendor: referring(optional(reference), "lab_vendors"),
    name: required(text(250)),
    practice: ofPractice,
  },
  filters: [],
});
