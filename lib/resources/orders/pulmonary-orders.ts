import { orderedTests, ordersOf } from "../ancillary-rules";
import { defaulted, required } from "../schema";
import { text } from "../values";

/** The pulmonary orders of patients. */
export const pulmonaryOrders = ordersOf("pulmonary", {
  allergies: required(text().nullable()),
  tests: defaulted(orderedTests, []),
});
