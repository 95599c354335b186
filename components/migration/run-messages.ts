import type { StatusKind } from "@/components/ui/status";
import type { RunState } from "@/lib/migration/rules/run-states";
import type { RecordState, Verdict } from "@/lib/migration/schema/run";

/** How a run stands, in words and as a state. */
export const RUN_STATES: Record<RunState, { kind: StatusKind; text: string }> = {
  uploading: { kind: "pending", text: "Waits for its file" },
  reading: { kind: "pending", text: "File is being read" },
  checking: { kind: "pending", text: "Being checked" },
  checked: { kind: "warning", text: "Checked, to be reviewed" },
  converting: { kind: "pending", text: "Being converted" },
  converted: { kind: "active", text: "Converted, to be verified" },
  verifying: { kind: "pending", text: "Being verified" },
  verified: { kind: "good", text: "Verified" },
  rolling_back: { kind: "pending", text: "Being rolled back" },
  rolled_back: { kind: "archived", text: "Rolled back" },
  failed: { kind: "failed", text: "Stopped by a failure" },
  cancelled: { kind: "archived", text: "Cancelled" },
};

/** What would become of a record: its name, and the class of its part in a bar. */
export const VERDICTS: Record<Verdict, { text: string; bar: string; means: string }> = {
  create: { text: "Create", bar: "bg-accent", means: "A policy is made" },
  update: { text: "Update", bar: "bg-accent/60", means: "The policy here is changed" },
  unchanged: { text: "Unchanged", bar: "bg-edge/50", means: "The policy here is as the export says" },
  archive: { text: "Archive", bar: "bg-soft/60", means: "An archived policy: it has ended" },
  refused: { text: "Refused", bar: "bg-bad/80", means: "Not converted" },
};

export const VERDICT_ORDER: readonly Verdict[] = ["create", "update", "unchanged", "archive", "refused"];

export const RECORD_STATES: Record<RecordState, { kind: StatusKind; text: string }> = {
  staged: { kind: "pending", text: "Read" },
  checked: { kind: "pending", text: "Checked" },
  converted: { kind: "active", text: "Converted" },
  left_out: { kind: "archived", text: "Left out" },
  stale: { kind: "warning", text: "Changed since the check" },
  verified: { kind: "good", text: "Verified" },
  different: { kind: "failed", text: "Differs" },
  rolled_back: { kind: "archived", text: "Rolled back" },
  kept: { kind: "warning", text: "Kept: changed since" },
};

/** The four parts of readiness, in the order of a bar. */
export const PARTS = [
  { part: "verified", text: "Converted and verified", bar: "bg-accent" },
  { part: "convertible", text: "Convertible", bar: "bg-accent/40" },
  { part: "person", text: "Needs a person", bar: "bg-warn" },
  { part: "refused", text: "Left out", bar: "bg-bad/80" },
] as const;

/** `group_id` within a sentence: `group ID`. */
export function fieldWords(field: string): string {
  const words = field.split("_").map((word) => ABBREVIATED[word] ?? word);
  return words.join(" ");
}

const ABBREVIATED: Record<string, string> = { id: "ID", dob: "date of birth", ssn: "SSN" };

/** The same as a name on screen: `Group ID`. */
export function fieldName(field: string): string {
  const text = fieldWords(field);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A value of an export, as it stands. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "—";
  if (typeof value === "string") return value === "" ? "(empty)" : value;
  return JSON.stringify(value);
}

/** What a fix makes of a value. */
export const proposedText = (value: unknown) => (value === null ? "(empty)" : valueText(value));

const UNITS = ["B", "KiB", "MiB", "GiB"];

/** `4.2 MiB` */
export function bytesText(bytes: number): string {
  const at = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[at]}`;
}

/** `3 min`, `less than a minute` */
export function durationText(seconds: number): string {
  if (seconds < 60) return "less than a minute";
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
