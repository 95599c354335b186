import { ordersOf } from "../ancillary-rules";
import { optional } from "../schema";
import { text } from "../values";

/** The imaging orders of patients. */
export const imagingOrders = ordersOf("imaging", { statmethod: optional(text(100)) });
