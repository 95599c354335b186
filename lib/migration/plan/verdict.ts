import { Verdict } from "@/generated/rows/enums";

/** What would become of an insurance, or of a patient as a whole. */
export const VERDICTS = Object.values(Verdict);
export type { Verdict };
