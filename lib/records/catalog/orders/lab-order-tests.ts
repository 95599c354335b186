import {
  createdDate,
  defaulted,
  defaultedPracticeColumn,
  deletedDate,
  list,
  optional,
  reference,
  refersTo,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";
import { labOrderTestToLabOrderAoeQuestion } from "@/lib/records/rules/nested-schemas";

/** A test that can be ordered from a laboratory. */
export const labOrderTests = defineResource({
  name: "lab_order_tests",
  title: "LabOrderTest",
  noun: "lab order test",
  owner: "practice",
  shared: true,
  operations: ["list", "create", "get", "delete"],
  fields: {
    code: optional(text(50)),
    compendium: refersTo(optional(reference), "lab_order_compendiums"),
    cpts: defaulted(list(text()), []),
    created_date: createdDate,
    deleted_date: deletedDate,
    lab_vendor: refersTo(optional(reference), "lab_vendors"),
    name: required(text(255)),
    practice_created: defaultedPracticeColumn,
    procedure_class: optional(text(50)),
    questions: defaulted(list(labOrderTestToLabOrderAoeQuestion), []),
    synonyms: defaulted(list(text()), []),
  },
  filters: ["code", "compendium", "lab_vendor", "name", "practice", "practice_created"],
  beforeWrite: ({ id, data }) => ({
    ...data,
    questions: data.questions.map((question) => ({ ...question, test: id })),
  }),
});
