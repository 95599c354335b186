import type { RecordChange } from "@/lib/history/staff-queries";

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
  const { role, disabled, password, practices, name: renamed } = changes;
  return join([
    ...(renamed ? [`renamed ${text(renamed.old)} to ${text(renamed.new)}`] : []),
    ...(role ? [`made ${name} ${text(role.new)} (was ${text(role.old)})`] : []),
    ...(disabled ? [`${disabled.new ? "disabled" : "enabled"} ${name}`] : []),
    ...(practices ? [`changed the practices of ${name}`] : []),
    ...(password ? [`gave ${name} another password`] : []),
  ]);
}

/** What a change of an API client did. */
export function sayClientChange({ kind, changes }: RecordChange, name: string): string {
  if (kind === "created") return `registered ${name}`;
  const { disabled, practices, secret, old_secrets_end: end, allowed_scopes, scoped_tokens, name: renamed } = changes;
  return join([
    ...(renamed ? [`renamed ${text(renamed.old)} to ${text(renamed.new)}`] : []),
    ...(disabled ? [`${disabled.new ? "disabled" : "enabled"} ${name}`] : []),
    ...(practices ? [`changed the practices of ${name}`] : []),
    ...(allowed_scopes || scoped_tokens ? [`changed the scopes of ${name}`] : []),
    ...(secret && secret.new === null ? [`revoked a secret of ${name}`] : []),
    ...(secret && secret.new !== null
      ? [`made a new secret for ${name}; the old one ends ${utc(text(end?.new))}`]
      : []),
  ]);
}

const utc = (time: string) => `${time.slice(0, 16).replace("T", " ")} UTC`;
