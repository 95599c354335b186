import { ordersOf } from "@/lib/records/engine/ancillary-rules";
import { optional } from "@/lib/records/engine/schema";
import { text } from "@/lib/records/engine/values";

/** The imaging orders of patients. */
export const imagingOrders = ordersOf("imaging", { statmethod: optional(text(100)) });
