/** An `error` blocks the conversion of a record until it is decided on. A `warning` does not. */
export type { Severity } from "@/generated/rows/enums";
