import { defineOrderTests } from "@/lib/records/rules/ancillary-orders";

/** The tests that can be ordered of sleep centers. */
export const sleepOrderTests = defineOrderTests("sleep");
