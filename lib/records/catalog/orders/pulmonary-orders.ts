import { text } from "@/lib/records/engine/field-types";
import { defaulted, required } from "@/lib/records/engine/schema";
import { defineOrders, orderedTests } from "@/lib/records/rules/ancillary-orders";

/** The pulmonary orders of patients. */
export const pulmonaryOrders = defineOrders("pulmonary", {
  allergies: required(text().nullable()),
  tests: defaulted(orderedTests, []),
});
