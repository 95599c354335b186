import { text } from "@/lib/records/engine/field-types";
import { optional } from "@/lib/records/engine/schema";
import { defineOrders } from "@/lib/records/rules/ancillary-orders";

/** The imaging orders of patients. */
export const imagingOrders = defineOrders("imaging", { statmethod: optional(text(100)) });
