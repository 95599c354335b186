/** Which side was written, and which is to follow. */
export const DIRECTIONS = {
  policies_to_patients: { short: "Policies to legacy", near: "policies", far: "legacy insurances" },
  patients_to_policies: { short: "Legacy to policies", near: "legacy insurances", far: "policies" },
} as const;

/** `3 s`, `12 min`, `5 h`, `2 days`. */
export function formatDuration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}
