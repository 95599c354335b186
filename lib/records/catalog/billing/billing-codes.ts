import { decimal, defaulted, integer, optional, practiceColumn, required, text } from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";

/** A procedure code that a practice bills, with its charge. */
export const billingCodes = defineResource({
  name: "billing_codes",
  title: "CPTCode",
  noun: "billing code",
  owner: "practice",
  operations: OPERATIONS,
  fields: {
    charge: optional(decimal(8, 2)),
    code: required(text(10)),
    description: required(text(200)),
    practice: practiceColumn,
    sequence: defaulted(integer()),
  },
  filters: ["code", "description", "practice"],
});
