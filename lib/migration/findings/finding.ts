import type { FindingDecision } from "@/generated/rows/enums";
import type { InsuranceList, Severity } from "./checks";

/** Something a person decides on. */
export type Decision = FindingDecision;

/** A finding of a run as it is stored. */
export interface FindingRow {
  id: number;
  number: number;
  patient: string | null;
  insurance: string | null;
  /** Of which insurances; null where it is of the patient. */
  list: InsuranceList | null;
  position: number | null;
  code: string;
  severity: Severity;
  field: string | null;
  found: unknown;
  message: string;
  fix: { values: Record<string, unknown>; why: string } | null;
  decision: Decision;
  reason: string | null;
}
