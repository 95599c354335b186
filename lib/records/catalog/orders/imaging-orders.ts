import { text } from "@/lib/records/engine/field-types";
import { optional } from "@/lib/records/engine/fields";
import { defineOrders } from "@/lib/records/rules/ancillary-orders";

/** A patient's imaging orders. */
export const imagingOrders = defineOrders("imaging", { statmethod: optional(text(100)) });
