import { text } from "@/lib/records/engine/field-types";
import { optional } from "@/lib/records/engine/schema";
import { ordersOf } from "@/lib/records/rules/ancillary-orders";

/** The cardiac orders of patients. */
export const cardiacOrders = ordersOf("cardiac", { medications: optional(text(400)) });
