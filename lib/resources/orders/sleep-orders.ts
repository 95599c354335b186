import { ordersOf } from "../ancillary-rules";

/** The sleep orders of patients. */
export const sleepOrders = ordersOf("sleep", {});
