import { defineOrderTests } from "@/lib/records/rules/ancillary-orders";

/** Tests that can be ordered from sleep centers. */
export const sleepOrderTests = defineOrderTests("sleep");
