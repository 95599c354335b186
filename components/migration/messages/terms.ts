import { formatNumber } from "@/components/ui/format";
import type { StatusKind } from "@/components/ui/status";
import type { Verdict } from "@/generated/rows/enums";
import type { RunState } from "@/lib/migration/runs/run-states";
import type { RecordState } from "@/lib/migration/runs/schema";

/** The states of a run. */
export const RUN_STATES: Record<RunState, { kind: StatusKind; text: string }> = {
  uploading: { kind: "pending", text: "Waiting for file" },
  reading: { kind: "pending", text: "Reading the file" },
  checking: { kind: "pending", text: "Checking" },
  checked: { kind: "pending", text: "Checked, ready for review" },
  converting: { kind: "pending", text: "Converting" },
  converted: { kind: "active", text: "Converted, ready to verify" },
  verifying: { kind: "pending", text: "Verifying" },
  verified: { kind: "good", text: "Verified" },
  rolling_back: { kind: "pending", text: "Rolling back" },
  rolled_back: { kind: "archived", text: "Rolled back" },
  failed: { kind: "failed", text: "Failed" },
  cancelled: { kind: "archived", text: "Canceled" },
};

/** What converting a record does. `bar` is the class of its part of a bar. */
export const VERDICTS: Record<Verdict, { text: string; bar: string; means: string }> = {
  create: { text: "Create", bar: "bg-accent", means: "Creates a policy" },
  update: { text: "Update", bar: "bg-accent/60", means: "Changes the policy" },
  unchanged: { text: "Unchanged", bar: "bg-edge/50", means: "The policy already matches the export" },
  archive: { text: "Import as history", bar: "bg-soft/60", means: "Stores past insurance as an archived policy" },
  refused: { text: "Not converted", bar: "bg-bad/80", means: "Has an error, or was skipped" },
};

export const VERDICT_ORDER: readonly Verdict[] = ["create", "update", "unchanged", "archive", "refused"];

export const RECORD_STATES: Record<RecordState, { kind: StatusKind; text: string }> = {
  staged: { kind: "pending", text: "Read" },
  checked: { kind: "pending", text: "Checked" },
  converted: { kind: "active", text: "Converted" },
  left_out: { kind: "archived", text: "Skipped" },
  stale: { kind: "warning", text: "Changed since the check" },
  verified: { kind: "good", text: "Verified" },
  different: { kind: "failed", text: "Different" },
  rolled_back: { kind: "archived", text: "Rolled back" },
  kept: { kind: "warning", text: "Kept (edited since)" },
};

/** The parts of readiness, in the order of the bar. */
export const PARTS = [
  { part: "verified", text: "Converted and verified", bar: "bg-accent" },
  { part: "convertible", text: "Ready to convert", bar: "bg-accent/40" },
  { part: "person", text: "Needs review", bar: "bg-warn" },
  { part: "refused", text: "Skipped", bar: "bg-bad/80" },
] as const;

/** Counts of the parts of readiness, within a sentence. */
export function partCounts(parts: Record<(typeof PARTS)[number]["part"], number>): string {
  const { verified, convertible, person, refused } = parts;
  return `${formatNumber(verified)} converted and verified, ${formatNumber(convertible)} ready to convert, ${formatNumber(person)} to review, ${formatNumber(refused)} skipped`;
}

/** Names a record of the export without a patient name. */
export const lineName = (line: number) => `Line ${line}`;

/** Links to a patient. */
export const patientLink = (id: number) => `Patient ${id}`;

/** Formats a value of an export. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "—";
  if (typeof value === "string") return value === "" ? "(empty)" : value;
  return JSON.stringify(value);
}

/** Formats a value that a fix proposes. */
export const proposedText = (value: unknown) => (value === null ? "(empty)" : valueText(value));

const UNITS = ["B", "KiB", "MiB", "GiB"];

/** Formats a size: `4.2 MiB`. */
export function bytesText(bytes: number): string {
  const at = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[at]}`;
}

/** Formats a duration: `3 min`, `less than a minute`. */
export function durationText(seconds: number): string {
  if (seconds < 60) return "less than a minute";
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
