import {
  decimal,
  deletedDate,
  integer,
  optional,
  practiceColumn,
  readOnly,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";
import { medication, qtyUnits } from "@/lib/records/rules/nested-schemas";

/** A template for medication orders. */
export const medicationOrderTemplates = defineResource({
  name: "medication_order_templates",
  title: "MedOrderTemplate",
  noun: "medication order template",
  owner: "practice",
  operations: OPERATIONS,
  fields: {
    auth_refills: optional(integer(0, 99)),
    deleted_date: deletedDate,
    directions: optional(text(300)),
    medication: required(medication),
    practice: practiceColumn,
    qty: optional(decimal(18, 9)),
    qty_units: optional(qtyUnits),
    rank: readOnly(integer()),
    specific_ndc: optional(text()),
  },
  filters: ["deleted_date__gte", "deleted_date__isnull", "deleted_date__lte", "practice"],
});
