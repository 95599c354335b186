import { text } from "@/lib/records/engine/field-types";
import { optional } from "@/lib/records/engine/fields";
import { defineOrders } from "@/lib/records/rules/ancillary-orders";

/** A patient's cardiac orders. */
export const cardiacOrders = defineOrders("cardiac", { medications: optional(text(400)) });
