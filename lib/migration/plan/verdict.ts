import { Verdict } from "@/generated/rows/enums";

/** The planned result for an insurance, or for a patient. */
export const VERDICTS = Object.values(Verdict);
export type { Verdict };
