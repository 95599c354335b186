import { defineOrderTests } from "@/lib/records/rules/ancillary-orders";

/** The tests that can be ordered of cardiac centers. */
export const cardiacOrderTests = defineOrderTests("cardiac");
