import { defineOrderTests } from "@/lib/records/rules/ancillary-orders";

/** Tests that can be ordered from imaging centers. */
export const imagingOrderTests = defineOrderTests("imaging");
