import { text } from "@/lib/records/engine/field-types";
import { defaulted, required } from "@/lib/records/engine/fields";
import { defineOrders, orderedTests } from "@/lib/records/rules/ancillary-orders";

/** A patient's pulmonary orders. */
export const pulmonaryOrders = defineOrders("pulmonary", {
  allergies: required(text().nullable()),
  tests: defaulted(orderedTests, []),
});
