import { ordersOf } from "@/lib/records/engine/ancillary-rules";
import { optional } from "@/lib/records/engine/schema";
import { text } from "@/lib/records/engine/values";

/** The cardiac orders of patients. */
export const cardiacOrders = ordersOf("cardiac", { medications: optional(text(400)) });
