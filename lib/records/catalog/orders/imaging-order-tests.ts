import { defineOrderTests } from "@/lib/records/rules/ancillary-orders";

/** The tests that can be ordered of imaging centers. */
export const imagingOrderTests = defineOrderTests("imaging");
