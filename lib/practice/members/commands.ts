import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { SecurityEvent } from "@/lib/access/audit/events";
import { auditSecurityIn } from "@/lib/access/audit/security-commands";
import { appendRecordVersion } from "@/lib/access/history/commands";
import {
  type Access,
  changedFields,
  currentPractice,
  type FieldChanges,
  type Origin,
} from "@/lib/access/identity/access";
import { endUserSessions } from "@/lib/access/staff/commands";
import {
  getMember,
  listAdmins,
  listOwnPractices,
  listPracticesWithoutAdmin,
  requireStaffId,
} from "@/lib/access/staff/member-queries";
import { hashPassword } from "@/lib/access/staff/passwords";
import { findSiblingHash } from "@/lib/access/staff/queries";
import { exportsByDefault } from "@/lib/access/staff/roles";
import type { Member, MemberInput, MemberPatch } from "@/lib/access/staff/schema";
import { getOrganizationId } from "@/lib/access/tenancy/organizations";
import { publishEvents } from "@/lib/events/published/publish-events";
import { isoNow } from "@/lib/platform/clock";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { BusinessRuleError, ConflictError, ForbiddenError, ValidationError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/http/conditional";
import { listMemberships, type OfficeStaffRow } from "./queries";

/** A request by an admin to change the members of a practice. */
interface MemberRequest {
  /** Limited to that practice. */
  access: Access;
  origin: Origin;
}
type ChangeRequest = MemberRequest & { userId: number; ifMatch?: IfMatch };

/** A security event about a member, for the audit of practices. */
type MemberEvent = Omit<SecurityEvent, "origin" | "about">;

/**
 * Adds a member to one or more of the admin's practices.
 *
 * @returns the ID, and the password if one was generated; it can't be read again
 * @throws ValidationError if the address is taken in this organization, or the admin does not belong to a practice
 */
export async function addMember(
  { access, origin }: MemberRequest,
  input: MemberInput,
): Promise<{ id: number; password: string | null }> {
  const password = input.password ?? newPassword();
  const hash = await hashPassword(password, await findSiblingHash(input.email));
  return transaction(async (tx) => {
    const ownPractices = await lockMembers(tx, access);
    requireOwn(ownPractices, input.practices);
    if (!input.practices.some((id) => access.practices.includes(id)))
      throw new ValidationError({ practices: ["Must include this practice."] });
    const organizationId = await getOrganizationId(tx, currentPractice(access));
    const id = await insertMember(tx, { access, origin }, { ...input, organizationId, hash });
    return { id, password: input.password === undefined ? password : null };
  });
}

/** Adds a member with this password hash in the caller's transaction, which has checked that the practices belong to the organization. */
export async function insertMember(
  tx: Tx,
  { access, origin }: MemberRequest,
  member: Omit<MemberInput, "password"> & { organizationId: number; hash: string },
): Promise<number> {
  const { organizationId, email, name, hash, role, can_export = exportsByDefault(role), gets_alerts = false } = member;
  const { practices } = member;
  // Accounts with the same address in different organizations are separate. An account that was removed from its last practice
  // is reused, with new settings.
  const user = await tx.first<Row<"staff_user", "id" | "version">>(sql`
    INSERT INTO staff_user AS u (organization_id, email, name, password_hash, role, can_export, gets_alerts, created_date)
    VALUES (${organizationId}, ${email}, ${name}, ${hash}, ${role}, ${can_export}, ${gets_alerts}, ${isoNow()})
    ON CONFLICT (organization_id, email) DO UPDATE SET name = excluded.name, password_hash = excluded.password_hash,
      role = excluded.role, can_export = excluded.can_export, gets_alerts = excluded.gets_alerts, disabled_date = NULL, version = u.version + 1
    WHERE NOT EXISTS (SELECT FROM staff_user_practice m WHERE m.user_id = u.id)
    RETURNING id, version`);
  if (!user) throw new ValidationError({ email: ["Another user has this email address."] });
  await endUserSessions(tx, user.id, "password_changed");
  await grant(tx, user.id, practices);
  await publishMemberships(tx, origin, { before: [], after: await listMemberships(tx, user.id) });
  const kind = user.version === 1 ? "created" : "updated";
  const changes = changedFields(null, { email, name, role, can_export, gets_alerts, practices: sorted(practices) });
  await record(tx, { access, origin }, { ...user, kind, changes });
  await auditSecurityIn(tx, [
    {
      name: "member.added",
      origin,
      practices,
      about: { type: "staff", id: user.id, name },
      facts: { role, can_export },
    },
  ]);
  return user.id;
}

/**
 * Adds the admins of the caller's practice to another one of the organization, in the caller's transaction.
 *
 * @returns their email addresses
 */
export async function addAdmins(tx: Tx, { access, origin }: MemberRequest, practiceId: number): Promise<string[]> {
  await lockAllMembers(tx);
  const admins = await listAdmins(tx, currentPractice(access));
  for (const { id, name, can_export, version } of admins) {
    const before = await listMemberships(tx, id);
    await grant(tx, id, [practiceId]);
    await tx.run(
      kysely
        .updateTable("staff_user")
        .set({ version: version + 1 })
        .where("id", "=", id),
    );
    const after = await listMemberships(tx, id);
    const [old, practices] = [before, after].map((rows) => sorted(rows.map(({ practice_id }) => practice_id)));
    const changes = changedFields({ practices: old }, { practices });
    await record(tx, { access, origin }, { id, version: version + 1, kind: "updated", changes });
    await publishMemberships(tx, origin, { before, after });
    const about = { type: "staff" as const, id, name };
    const added = { name: "member.added" as const, practices: [practiceId], facts: { role: "admin", can_export } };
    await auditSecurityIn(tx, [{ ...added, origin, about }]);
  }
  return admins.map(({ email }) => email);
}

/**
 * Changes a member's name, role, permission to export or practices, or enables or disables their account. Takes effect with their
 * next request.
 *
 * @throws NotFoundError, VersionConflictError, ValidationError
 * @throws ConflictError belongs_elsewhere, if the change affects practices that the admin does not belong to
 * @throws BusinessRuleError last_admin, if a practice would have no admin left
 */
export async function changeMember(request: ChangeRequest, patch: MemberPatch): Promise<Member> {
  return change(request, async (tx, before, ownPractices) => {
    const { name, role = before.role, gets_alerts = before.gets_alerts, disabled } = patch;
    // The permission to export follows the role, unless the admin sets it.
    const canExport = patch.can_export ?? (role === before.role ? before.can_export : exportsByDefault(role));
    const touchesAll =
      role !== before.role ||
      canExport !== before.can_export ||
      gets_alerts !== before.gets_alerts ||
      isDisabled(before) !== (disabled ?? isDisabled(before));
    if (touchesAll || (name ?? before.name) !== before.name) requireFullControl(before);
    if (patch.practices) requireOwn(ownPractices, patch.practices);
    const practices = patch.practices ? sorted(patch.practices) : before.practices;
    const after = {
      name: name ?? before.name,
      role,
      can_export: canExport,
      gets_alerts,
      disabled: disabled ?? isDisabled(before),
      practices,
    };
    const disabledDate = after.disabled ? (before.disabled_date ?? isoNow()) : null;
    const columns = { name: after.name, role, can_export: canExport, gets_alerts, disabled_date: disabledDate };
    await tx.run(kysely.updateTable("staff_user").set(columns).where("id", "=", before.id));
    await grant(tx, before.id, practices);
    await revoke(
      tx,
      before.id,
      before.practices.filter((id) => !practices.includes(id)),
    );
    // Enabling the account again must not restore its sessions.
    if (after.disabled && !isDisabled(before)) await endUserSessions(tx, before.id, "disabled");
    const { practices: _practices, ...settings } = after;
    const { name: oldName, role: oldRole, can_export, gets_alerts: gotAlerts } = before;
    const old = { name: oldName, role: oldRole, can_export, gets_alerts: gotAlerts, disabled: isDisabled(before) };
    const changes = changedFields(old, settings);
    const shared = before.practices.filter((id) => practices.includes(id));
    const events: MemberEvent[] = [
      {
        name: "member.added",
        practices: practices.filter((id) => !shared.includes(id)),
        facts: { role, can_export: canExport },
      },
      { name: "member.removed", practices: before.practices.filter((id) => !shared.includes(id)) },
    ];
    if (Object.keys(changes).length > 0) events.unshift({ name: "member.changed", practices: shared, changes });
    return { changes: { ...changes, ...changedFields({ practices: before.practices }, { practices }) }, events };
  });
}

/**
 * Removes a member from the practice. Their account and their other practices are left unchanged.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws BusinessRuleError last_admin
 */
export async function removeMember(request: ChangeRequest): Promise<void> {
  await change(request, async (tx, before) => {
    await revoke(tx, before.id, request.access.practices);
    const practices = before.practices.filter((id) => !request.access.practices.includes(id));
    return {
      changes: changedFields({ practices: before.practices }, { practices }),
      events: [{ name: "member.removed", practices: request.access.practices }],
    };
  });
}

/**
 * Generates a new password for a member and ends their sessions.
 *
 * @returns the password; it can't be read again
 * @throws NotFoundError, VersionConflictError
 * @throws ConflictError belongs_elsewhere, if the member belongs to practices that the admin does not belong to
 */
export async function resetMemberPassword(request: ChangeRequest): Promise<string> {
  const password = newPassword();
  const { email } = await getMember(request.access, request.userId);
  const hash = await hashPassword(password, await findSiblingHash(email));
  await change(request, async (tx, before) => {
    requireFullControl(before);
    await tx.run(kysely.updateTable("staff_user").set({ password_hash: hash }).where("id", "=", before.id));
    await endUserSessions(tx, before.id, "password_changed");
    return {
      changes: { password: { old: null, new: "reset" } },
      events: [{ name: "member.password_reset", practices: before.practices }],
    };
  });
  return password;
}

/** Runs a change to a member: locks, applies it, checks that each practice still has an admin, and records and audits it. */
async function change(
  request: ChangeRequest,
  apply: (
    tx: Tx,
    before: Member,
    ownPractices: readonly number[],
  ) => Promise<{ changes: FieldChanges; events: MemberEvent[] }>,
): Promise<Member> {
  const { access, origin, userId, ifMatch = null } = request;
  return transaction(async (tx) => {
    const ownPractices = await lockMembers(tx, access);
    const before = await getMember(access, userId, tx);
    const memberships = await listMemberships(tx, userId);
    requireVersion(ifMatch, before.version);
    const { changes, events } = await apply(tx, before, ownPractices);
    if (Object.keys(changes).length === 0) return before;
    if ((await listPracticesWithoutAdmin(tx, before.practices)).length > 0)
      throw new BusinessRuleError("last_admin", LAST_ADMIN);
    const version = before.version + 1;
    await tx.run(kysely.updateTable("staff_user").set({ version }).where("id", "=", userId));
    await record(tx, request, { id: userId, version, kind: "updated", changes });
    const after = await listMemberships(tx, userId);
    if (after.length === 0) await endUserSessions(tx, userId, isDisabled(before) ? "disabled" : "removed");
    await publishMemberships(tx, origin, { before: memberships, after });
    const about = { type: "staff" as const, id: userId, name: before.name };
    const audited = events.filter(({ practices }) => practices.length > 0);
    await auditSecurityIn(
      tx,
      audited.map((event) => ({ ...event, origin, about })),
    );
    return { ...before, version };
  });
}

const LAST_ADMIN = "A practice needs an admin. Make another member an admin first.";
/** Changes to members run one at a time, so that two admins can't revoke each other's role at once. */
const MEMBERS = "staff members";

async function lockAllMembers(tx: Tx): Promise<void> {
  await tx.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${MEMBERS}, 0))`);
}

/**
 * Locks all members and returns the practices of the admin.
 *
 * @throws ForbiddenError if the caller is no longer an admin of the practice
 */
async function lockMembers(tx: Tx, access: Access): Promise<number[]> {
  await lockAllMembers(tx);
  const ownPractices = await listOwnPractices(access, tx);
  const admin = await tx.first(
    kysely
      .selectFrom("staff_user")
      .select("id")
      .where("id", "=", requireStaffId(access))
      .where("role", "=", "admin")
      .where("disabled_date", "is", null),
  );
  if (!admin || !access.practices.every((id) => ownPractices.includes(id)))
    throw new ForbiddenError("You are no longer an admin of this practice.");
  return ownPractices;
}

function requireOwn(ownPractices: readonly number[], practices: readonly number[]): void {
  if (practices.some((id) => !ownPractices.includes(id)))
    throw new ValidationError({ practices: ["No such practice."] });
}

/** Requires that the admin belongs to all of the member's practices, because name, role and password apply to all of them. */
function requireFullControl(member: Member): void {
  if (member.elsewhere)
    throw new ConflictError(
      "belongs_elsewhere",
      `${member.name} also belongs to practices that you don't manage. You can only remove this member from your practices.`,
    );
}

async function grant(tx: Tx, userId: number, practices: readonly number[]): Promise<void> {
  const memberships = practices.map((practice_id) => ({ user_id: userId, practice_id }));
  await tx.run(
    kysely
      .insertInto("staff_user_practice")
      .values(memberships)
      .onConflict((conflict) => conflict.doNothing()),
  );
}

async function revoke(tx: Tx, userId: number, practices: readonly number[]): Promise<void> {
  await tx.run(
    kysely.deleteFrom("staff_user_practice").where("user_id", "=", userId).where("practice_id", "=", anyOf(practices)),
  );
}

async function record(
  tx: Tx,
  { access, origin }: MemberRequest,
  entry: { id: number; version: number; kind: "created" | "updated"; changes: FieldChanges },
): Promise<void> {
  const practiceId = access.practices[0] ?? null;
  await appendRecordVersion(tx, { type: "staff_user", practiceId, origin, occurredDate: isoNow(), ...entry });
}

/** Publishes webhook events for `office_staff`. Each record is a membership; disabled accounts have none. */
async function publishMemberships(
  tx: Tx,
  origin: Origin,
  { before, after }: { before: readonly OfficeStaffRow[]; after: readonly OfficeStaffRow[] },
): Promise<void> {
  const saved = after.filter((row) => !before.some((earlier) => isDeepStrictEqual(earlier, row)));
  const deleted = before.filter(({ id }) => !after.some((row) => row.id === id));
  for (const { id, practice_id: practiceId } of saved)
    await publishEvents(tx, { type: "saved", resource: "office_staff", ids: [id], practiceId, origin });
  for (const { id, practice_id: practiceId } of deleted)
    await publishEvents(tx, { type: "deleted", resource: "office_staff", ids: [id], practiceId, origin });
}

const isDisabled = (member: Member) => member.disabled_date !== null;
const sorted = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b);
/** Generates a password of 96 random bits. */
const newPassword = () => randomBytes(12).toString("base64url");
