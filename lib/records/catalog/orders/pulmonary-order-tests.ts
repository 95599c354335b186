import { defineOrderTests } from "@/lib/records/rules/ancillary-orders";

/** The tests that can be ordered of pulmonary centers. */
export const pulmonaryOrderTests = defineOrderTests("pulmonary");
