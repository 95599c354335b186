import { defineOrders } from "@/lib/records/rules/ancillary-orders";

/** A patient's sleep orders. */
export const sleepOrders = defineOrders("sleep", {});
