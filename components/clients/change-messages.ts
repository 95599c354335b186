import { formatUtc, joinChanges } from "@/components/ui/change-message";
import type { RecordChange } from "@/lib/access/history/queries";

/** Describes a change to an API client, to follow the name of its author. `name` is the client's current name. */
export function describeClientChange({ kind, changes }: RecordChange, name: string): string {
  if (kind === "created") return `registered ${name}`;
  const { disabled, practices, secret, old_secrets_end: end, allowed_scopes, scoped_tokens, name: renamed } = changes;
  return joinChanges(
    renamed && `renamed ${renamed.old} to ${renamed.new}`,
    disabled && `${disabled.new ? "disabled" : "enabled"} ${name}`,
    practices && `changed the practices of ${name}`,
    (allowed_scopes || scoped_tokens) && `changed the scopes of ${name}`,
    secret &&
      (secret.new === null
        ? `revoked a secret of ${name}`
        : `rotated the secret of ${name}; the old one expires ${formatUtc(end?.new)}`),
  );
}
