import { defineOrders } from "@/lib/records/rules/ancillary-orders";

/** The sleep orders of patients. */
export const sleepOrders = defineOrders("sleep", {});
