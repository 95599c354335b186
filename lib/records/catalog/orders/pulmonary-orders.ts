import { text } from "@/lib/records/engine/field-types";
import { defaulted, required } from "@/lib/records/engine/schema";
import { orderedTests, ordersOf } from "@/lib/records/rules/ancillary-orders";

/** The pulmonary orders of patients. */
export const pulmonaryOrders = ordersOf("pulmonary", {
  allergies: required(text().nullable()),
  tests: defaulted(orderedTests, []),
});
