import type { RecordChange } from "@/lib/access/history/staff-queries";

const join = (parts: readonly string[]) => new Intl.ListFormat("en-US").format(parts);
const text = (value: unknown) => String(value);

/** What a change of the deprecation clock did. */
export function sayClockChange({ changes }: RecordChange): string {
  const { deprecation_date: date, deprecation_mode: mode, rehearsal_time: rehearsal } = changes;
  return join([
    ...(date ? [`moved the date from ${text(date.old)} to ${text(date.new)}`] : []),
    ...(mode ? [mode.new === "enforce" ? "began to enforce it" : "went back to announcing it"] : []),
    ...(rehearsal
      ? [rehearsal.new === null ? "ended the rehearsal" : `began to rehearse ${utc(text(rehearsal.new))}`]
      : []),
  ]);
}

/** What a change of a member did; `name` as they are called now. */
export function sayMemberChange({ kind, changes }: RecordChange, name: string): string {
  if (kind === "created") return `added ${name} as ${text(changes.role?.new)}`;
  if (changes.email) return `added ${name} again as ${text(changes.role?.new)}`;
  const { role, disabled, password, practices, name: renamed, can_export: exports } = changes;
  return join([
    ...(renamed ? [`renamed ${text(renamed.old)} to ${text(renamed.new)}`] : []),
    ...(role ? [`made ${name} ${text(role.new)} (was ${text(role.old)})`] : []),
    ...(exports ? [exports.new ? `let ${name} export data` : `took the right to export from ${name}`] : []),
    ...(disabled ? [`${disabled.new ? "disabled" : "enabled"} ${name}`] : []),
    ...(practices ? [`changed the practices of ${name}`] : []),
    ...(password ? [`gave ${name} another password`] : []),
  ]);
}

const utc = (time: string) => `${time.slice(0, 16).replace("T", " ")} UTC`;
