import { list, reference, text } from "@/lib/records/engine/field-types";
import {
  createdDate,
  defaulted,
  defineResource,
  deletedDate,
  ofPracticeOrOnly,
  optional,
  referring,
  required,
} from "@/lib/records/engine/schema";
import { labOrderTestToLabOrderAoeQuestion } from "@/lib/records/rules/nested-schemas";

/** A test that can be ordered of a laboratory. */
export const labOrderTests = defineResource({
  name: "lab_order_tests",
  title: "LabOrderTest",
  noun: "lab order test",
  owner: "practice",
  shared: true,
  operations: ["list", "create", "get", "delete"],
  fields: {
    code: optional(text(50)),
    compendium: referring(optional(reference), "lab_order_compendiums"),
    cpts: defaulted(list(text()), []),
    created_date: createdDate,
    deleted_date: deletedDate,
    lab_vendor: referring(optional(reference), "lab_vendors"),
    name: required(text(255)),
    practice_created: ofPracticeOrOnly,
    procedure_class: optional(text(50)),
    questions: defaulted(list(labOrderTestToLabOrderAoeQuestion), []),
    synonyms: defaulted(list(text()), []),
  },
  filters: ["code", "compendium", "lab_vendor", "name", "practice", "practice_created"],
});
