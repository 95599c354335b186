import type { RecordChange } from "@/lib/access/history/staff-queries";

const join = (parts: readonly string[]) => new Intl.ListFormat("en-US").format(parts);
const text = (value: unknown) => String(value);
const utc = (time: string) => `${time.slice(0, 16).replace("T", " ")} UTC`;

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
