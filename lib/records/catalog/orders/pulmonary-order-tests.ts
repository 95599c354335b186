import { defineOrderTests } from "@/lib/records/rules/ancillary-orders";

/** Tests that can be ordered from pulmonary centers. */
export const pulmonaryOrderTests = defineOrderTests("pulmonary");
