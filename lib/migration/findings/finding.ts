import type { FindingDecision } from "@/generated/rows/enums";
import type { Row } from "@/lib/platform/db/rows";

/** A decision on a finding. */
export type Decision = FindingDecision;

/** The columns of a finding that checks and decisions need. */
export type FindingRow = Row<
  "migration_finding",
  | "id"
  | "number"
  | "patient"
  | "insurance"
  | "list"
  | "position"
  | "code"
  | "severity"
  | "field"
  | "found"
  | "message"
  | "fix"
  | "decision"
  | "reason"
>;
