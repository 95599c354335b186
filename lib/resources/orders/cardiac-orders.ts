import { ordersOf } from "../ancillary-rules";
import { optional } from "../schema";
import { text } from "../values";

/** The cardiac orders of patients. */
export const cardiacOrders = ordersOf("cardiac", { medications: optional(text(400)) });
