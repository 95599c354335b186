import { orderedTests, ordersOf } from "@/lib/records/engine/ancillary-rules";
import { defaulted, required } from "@/lib/records/engine/schema";
import { text } from "@/lib/records/engine/values";

/** The pulmonary orders of patients. */
export const pulmonaryOrders = ordersOf("pulmonary", {
  allergies: required(text().nullable()),
  tests: defaulted(orderedTests, []),
});
