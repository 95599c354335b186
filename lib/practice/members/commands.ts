import { randomBytes } from "node:crypto";
import { auditSecurityIn } from "@/lib/access/audit/security-commands";
import { changedFields, currentPractice } from "@/lib/access/identity/access";
import { endUserSessions } from "@/lib/access/staff/commands";
import { grantPractices, revokePractices, updateAccount } from "@/lib/access/staff/member-commands";
import { getMember, listAdmins } from "@/lib/access/staff/member-queries";
import { hashPassword, randomHash } from "@/lib/access/staff/passwords";
import { findSiblingHash } from "@/lib/access/staff/queries";
import { exportsByDefault } from "@/lib/access/staff/roles";
import type { Member, MemberInput, MemberPatch } from "@/lib/access/staff/schema";
import { getOrganizationId } from "@/lib/access/tenancy/organizations";
import { isoNow } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { json, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { ValidationError } from "@/lib/platform/errors";
import { applyMemberPatch, type ClientFields, flatten, requireFullControl, requireOwn } from "./member-patch";
import {
  type ChangeRequest,
  lockAllMembers,
  lockMembers,
  type MemberRequest,
  publishMemberships,
  recordChange,
  sorted,
  writeMember,
} from "./member-writes";
import { listMemberships } from "./queries";

/** A new member. API clients can add disabled accounts, and also set their own fields. They get no password. */
type NewMember = MemberInput & { disabled?: boolean; clientFields?: ClientFields };

/**
 * Adds a member to one or more of the caller's practices.
 *
 * @returns the ID, and the password if one was generated; it can't be read again
 * @throws ValidationError if the address is taken in this organization, or the caller does not manage a practice
 */
export async function addMember(
  { access, origin }: MemberRequest,
  input: NewMember,
): Promise<{ id: number; password: string | null }> {
  const password = input.clientFields ? null : (input.password ?? newPassword());
  const sibling = await findSiblingHash(input.email);
  const hash = password === null ? randomHash(sibling) : await hashPassword(password, sibling);
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
  member: Omit<NewMember, "password"> & { organizationId: number; hash: string },
): Promise<number> {
  const { organizationId, email, name, hash, role, can_export = exportsByDefault(role), gets_alerts = false } = member;
  const { practices, disabled = false, clientFields } = member;
  const { last_name = null, profile = null } = clientFields ?? {};
  const disabledDate = disabled ? isoNow() : null;
  // Accounts with the same address in different organizations are separate. An account that was removed from its last practice
  // is reused, with new settings.
  const user = await tx.first<Row<"staff_user", "id" | "version">>(sql`
    INSERT INTO staff_user AS u (organization_id, email, name, last_name, profile, password_hash, role, can_export,
      gets_alerts, created_date, disabled_date)
    VALUES (${organizationId}, ${email}, ${name}, ${last_name}, ${profile && json(profile)}, ${hash}, ${role}, ${can_export},
      ${gets_alerts}, ${isoNow()}, ${disabledDate})
    ON CONFLICT (organization_id, email) DO UPDATE SET name = excluded.name, last_name = excluded.last_name,
      profile = excluded.profile, password_hash = excluded.password_hash, role = excluded.role, can_export = excluded.can_export,
      gets_alerts = excluded.gets_alerts, disabled_date = excluded.disabled_date, version = u.version + 1
    WHERE NOT EXISTS (SELECT FROM staff_user_practice m WHERE m.user_id = u.id)
    RETURNING id, version`);
  if (!user) throw new ValidationError({ email: ["Another user has this email address."] });
  await endUserSessions(tx, user.id, "password_changed");
  await grantPractices(tx, user.id, practices);
  await publishMemberships(tx, origin, { before: [], after: await listMemberships(tx, user.id) });
  const kind = user.version === 1 ? "created" : "updated";
  const settings = { email, name, role, can_export, gets_alerts, practices: sorted(practices) };
  const changes = changedFields(null, { ...settings, ...(disabled ? { disabled } : {}), ...flatten(clientFields) });
  await recordChange(tx, { access, origin }, { ...user, kind, changes, practices });
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
    await grantPractices(tx, id, [practiceId]);
    await updateAccount(tx, id, { version: version + 1 });
    const after = await listMemberships(tx, id);
    const [old = [], practices] = [before, after].map((rows) => sorted(rows.map(({ practice_id }) => practice_id)));
    const changes = changedFields({ practices: old }, { practices });
    await recordChange(tx, { access, origin }, { id, version: version + 1, kind: "updated", changes, practices: old });
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
  return writeMember(request, (tx, locked) => applyMemberPatch(tx, locked, patch));
}

/**
 * Removes a member from the practice. Their account and their other practices are left unchanged.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws BusinessRuleError last_admin
 */
export async function removeMember(request: ChangeRequest): Promise<void> {
  await writeMember(request, async (tx, { before }) => {
    await revokePractices(tx, before.id, request.access.practices);
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
  await writeMember(request, async (tx, { before }) => {
    requireFullControl(before);
    await updateAccount(tx, before.id, { password_hash: hash });
    await endUserSessions(tx, before.id, "password_changed");
    return {
      changes: { password: { old: null, new: "reset" } },
      events: [{ name: "member.password_reset", practices: before.practices }],
    };
  });
  return password;
}

/** Generates a password of 96 random bits. */
const newPassword = () => randomBytes(12).toString("base64url");
