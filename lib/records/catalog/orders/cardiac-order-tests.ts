import { defineOrderTests } from "@/lib/records/rules/ancillary-orders";

/** Tests that can be ordered from cardiac centers. */
export const cardiacOrderTests = defineOrderTests("cardiac");
