import { text } from "@/lib/records/engine/field-types";
import { optional } from "@/lib/records/engine/schema";
import { defineOrders } from "@/lib/records/rules/ancillary-orders";

/** The cardiac orders of patients. */
export const cardiacOrders = defineOrders("cardiac", { medications: optional(text(400)) });
