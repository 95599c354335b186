import { formatUtc, joinChanges } from "@/components/ui/change-message";
import type { RecordChange } from "@/lib/access/history/queries";

/** Describes a change to the deprecation settings, to follow the name of its author. */
export function describeClockChange({ changes }: RecordChange): string {
  const { deprecation_date: date, deprecation_mode: mode, rehearsal_time: rehearsal } = changes;
  return joinChanges(
    date && `moved the deprecation date from ${date.old} to ${date.new}`,
    mode && (mode.new === "enforce" ? "started enforcing it" : "switched it to announce only"),
    rehearsal &&
      (rehearsal.new === null ? "ended the rehearsal" : `started a rehearsal as of ${formatUtc(rehearsal.new)}`),
  );
}

/** Describes a change to a member, to follow the name of its author. `name` is the member's current name. */
export function describeMemberChange({ kind, changes }: RecordChange, name: string): string {
  const {
    email,
    role,
    disabled,
    password,
    practices,
    name: renamed,
    can_export: exports,
    gets_alerts: alerts,
  } = changes;
  if (kind === "created") return `added ${name} as ${role?.new}`;
  if (email) return `added ${name} again as ${role?.new}`;
  return joinChanges(
    renamed && `renamed ${renamed.old} to ${renamed.new}`,
    role && `changed the role of ${name} from ${role.old} to ${role.new}`,
    alerts && `turned email alerts ${alerts.new ? "on" : "off"} for ${name}`,
    exports && `${exports.new ? "allowed" : "no longer allowed"} ${name} to export data`,
    disabled && `${disabled.new ? "disabled" : "enabled"} ${name}`,
    practices && `changed the practices of ${name}`,
    password && `reset the password of ${name}`,
  );
}
