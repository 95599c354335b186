import { ordersOf } from "@/lib/records/engine/ancillary-rules";

/** The sleep orders of patients. */
export const sleepOrders = ordersOf("sleep", {});
