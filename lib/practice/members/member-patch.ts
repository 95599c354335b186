import { changedFields, type FieldChanges } from "@/lib/access/identity/access";
import { endUserSessions } from "@/lib/access/staff/commands";
import { grantPractices, revokePractices, updateAccount } from "@/lib/access/staff/member-commands";
import { exportsByDefault } from "@/lib/access/staff/roles";
import type { Member, MemberPatch } from "@/lib/access/staff/schema";
import { isoNow } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import type { Tx } from "@/lib/platform/db/transaction";
import { ConflictError, ValidationError } from "@/lib/platform/errors";
import { isDisabled, type LockedMember, type MemberEvent, sorted } from "./member-writes";

/** What only API clients set: the last name within the name, and the fields that staff pages don't show. */
export type ClientFields = Pick<Row<"staff_user">, "last_name" | "profile">;

/** A change to a member. Clients also change their own fields, from the first value to the second. */
type MemberChange = MemberPatch & { clientFields?: readonly [ClientFields, ClientFields] };

/**
 * Applies a change to a locked member. Omitted fields stay.
 *
 * @returns the changed fields, and the events for the audit
 * @throws ValidationError, ConflictError belongs_elsewhere
 */
export async function applyMemberPatch(
  tx: Tx,
  { before, ownPractices }: LockedMember,
  patch: MemberChange,
): Promise<{ changes: FieldChanges; events: MemberEvent[] }> {
  const { name, role = before.role, gets_alerts = before.gets_alerts, disabled } = patch;
  // The permission to export follows the role, unless the admin sets it.
  const canExport = patch.can_export ?? (role === before.role ? before.can_export : exportsByDefault(role));
  if (patch.practices) requireOwn(ownPractices, patch.practices);
  const practices = patch.practices ? sorted(patch.practices) : before.practices;
  const settings = {
    name: name ?? before.name,
    role,
    can_export: canExport,
    gets_alerts,
    disabled: disabled ?? isDisabled(before),
  };
  const { name: oldName, role: oldRole, can_export, gets_alerts: gotAlerts } = before;
  const old = { name: oldName, role: oldRole, can_export, gets_alerts: gotAlerts, disabled: isDisabled(before) };
  const [oldFields, newFields] = patch.clientFields ?? [];
  const changes = {
    ...changedFields(old, settings),
    ...(newFields ? changedFields(flatten(oldFields), flatten(newFields)) : {}),
  };
  // These apply to all practices of the account.
  if (Object.keys(changes).length > 0) requireFullControl(before);
  const disabledDate = settings.disabled ? (before.disabled_date ?? isoNow()) : null;
  const columns = { name: settings.name, role, can_export: canExport, gets_alerts, disabled_date: disabledDate };
  await updateAccount(tx, before.id, { ...columns, ...newFields });
  await grantPractices(tx, before.id, practices);
  const lost = before.practices.filter((id) => !practices.includes(id));
  await revokePractices(tx, before.id, lost);
  // Enabling the account again must not restore its sessions.
  if (settings.disabled && !isDisabled(before)) await endUserSessions(tx, before.id, "disabled");
  const shared = before.practices.filter((id) => practices.includes(id));
  const events: MemberEvent[] = [
    {
      name: "member.added",
      practices: practices.filter((id) => !shared.includes(id)),
      facts: { role, can_export: canExport },
    },
    { name: "member.removed", practices: lost },
  ];
  if (Object.keys(changes).length > 0) events.unshift({ name: "member.changed", practices: shared, changes });
  return { changes: { ...changes, ...changedFields({ practices: before.practices }, { practices }) }, events };
}

/** Returns the fields of clients, as versions record them. */
export function flatten(fields: ClientFields | undefined): object {
  return { last_name: fields?.last_name, ...fields?.profile };
}

/** Requires that the caller manages the members of these practices. @throws ValidationError */
export function requireOwn(ownPractices: readonly number[], practices: readonly number[]): void {
  if (practices.some((id) => !ownPractices.includes(id)))
    throw new ValidationError({ practices: ["No such practice."] });
}

/**
 * Requires that the caller manages all of the member's practices, because name, role and password apply to all of them.
 *
 * @throws ConflictError belongs_elsewhere
 */
export function requireFullControl(member: Member): void {
  if (member.elsewhere)
    throw new ConflictError(
      "belongs_elsewhere",
      `${member.name} also belongs to practices that you don't manage. You can only remove this member from your practices.`,
    );
}
