export type StreamStatus = "pending" | "failed" | "acknowledged" | "discarded";

/** An event of the stream as the staff's calls answer it. */
export interface StreamRow {
  id: number;
  patient_id: number;
  direction: "policies_to_patients" | "patients_to_policies";
  kind: "create" | "update" | "delete";
  status: StreamStatus;
  attempts: number;
  next_attempt_date: string | null;
  last_error: string | null;
  created_date: string;
  acknowledged_date: string | null;
  actor: string;
  blocked: boolean;
}

export interface StreamDetail extends StreamRow {
  changes: ({ kind: string } & Record<string, unknown>)[] | null;
  origin: { actor: { type: string; name: string }; source: string; reason: string | null; operation: string };
  behind: number;
}

export interface StreamHealth {
  pending: number;
  failed: number;
  oldest_pending: string | null;
  lag_seconds: number;
}

/** Which side was written, and which is to follow. */
export const DIRECTIONS = {
  policies_to_patients: { short: "Policies to legacy", near: "policies", far: "legacy insurances" },
  patients_to_policies: { short: "Legacy to policies", near: "legacy insurances", far: "policies" },
} as const;

/** `3 s`, `12 min`, `5 h`, `2 days`. */
export function spanOf(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}
