import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { SecurityEvent } from "@/lib/access/audit/events";
import { auditSecurityIn } from "@/lib/access/audit/security-commands";
import { appendRecordVersion } from "@/lib/access/history/commands";
import type { Access } from "@/lib/access/identity/access";
import { changedFields, type FieldChanges, type Origin } from "@/lib/access/identity/origin";
import { endSessionsOf } from "@/lib/access/staff/commands";
import { getMember, listOwnPractices, listPracticesWithoutAdmin } from "@/lib/access/staff/member-queries";
import { hashPassword } from "@/lib/access/staff/passwords";
import { findSiblingHash } from "@/lib/access/staff/queries";
import { exportsByDefault } from "@/lib/access/staff/rules";
import type { Member, MemberInput, MemberPatch } from "@/lib/access/staff/schema";
import { organizationOf } from "@/lib/access/tenancy/queries";
import { publishEvents } from "@/lib/events/published/publish-events";
import { isoNow } from "@/lib/platform/clock";
import { inList } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { BusinessRuleError, ConflictError, ForbiddenError, ValidationError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/versions";
import { listMemberships, type OfficeStaffRow } from "./queries";

/** An admin's act on the members of the practice whose page they are on. */
interface MemberRequest {
  /** Narrowed to that practice. */
  access: Access;
  origin: Origin;
}
type ChangeRequest = MemberRequest & { userId: number; ifMatch?: IfMatch };

/** What happened to a member, in the practices that may know of it. */
type MemberEvent = Omit<SecurityEvent, "origin" | "about">;

/**
 * Adds a member to practices of the admin's own.
 *
 * @returns their id, and the password where one was made: it is told this once
 * @throws ValidationError an address that is taken in this organization, or a practice that is not the admin's
 */
export async function addMember(
  { access, origin }: MemberRequest,
  input: MemberInput,
): Promise<{ id: number; password: string | null }> {
  const password = input.password ?? newPassword();
  const hash = await hashPassword(password, await findSiblingHash(input.email));
  return transaction(async (tx) => {
    const own = await lockMembers(tx, access);
    requireOwn(own, input.practices);
    if (!input.practices.some((id) => access.practices.includes(id)))
      throw new ValidationError({ practices: ["Must include this practice."] });
    const { email, name, role, can_export = exportsByDefault(role), practices } = input;
    const organizationId = await organizationOf(tx, access.practices[0] as number);
    // An account of another organization with this address is another account. Somebody who was removed from their last practice comes back under their address, as a new account would.
    const user = await tx.first<Row<"staff_user", "id" | "version">>(sql`
      INSERT INTO staff_user AS u (organization_id, email, name, password_hash, role, can_export, created_date)
      VALUES (${organizationId}, ${email}, ${name}, ${hash}, ${role}, ${can_export}, ${isoNow()})
      ON CONFLICT (organization_id, email) DO UPDATE SET name = excluded.name, password_hash = excluded.password_hash,
        role = excluded.role, can_export = excluded.can_export, disabled_date = NULL, version = u.version + 1
      WHERE NOT EXISTS (SELECT FROM staff_user_practice m WHERE m.user_id = u.id)
      RETURNING id, version`);
    if (!user) throw new ValidationError({ email: ["Is the address of another user."] });
    await endSessionsOf(tx, user.id, "password_changed");
    await grant(tx, user.id, practices);
    await publishMemberships(tx, origin, { before: [], after: await listMemberships(tx, user.id) });
    const kind = user.version === 1 ? "created" : "updated";
    const changes = changedFields(null, { email, name, role, can_export, practices: sorted(practices) });
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
    return { id: user.id, password: input.password === undefined ? password : null };
  });
}

/**
 * Changes a member's name, role, right to export, practices or whether they may sign in. It holds from their next call on.
 *
 * @throws NotFoundError, VersionConflictError, ValidationError
 * @throws ConflictError belongs_elsewhere, where it would reach into practices that are not the admin's
 * @throws BusinessRuleError last_admin, where a practice would have no admin left
 */
export async function changeMember(request: ChangeRequest, patch: MemberPatch): Promise<Member> {
  return change(request, async (tx, before, own) => {
    const { name, role = before.role, disabled } = patch;
    // A right that came with the role goes with it, unless the admin says otherwise.
    const canExport = patch.can_export ?? (role === before.role ? before.can_export : exportsByDefault(role));
    const touchesAll =
      role !== before.role ||
      canExport !== before.can_export ||
      isDisabled(before) !== (disabled ?? isDisabled(before));
    if (touchesAll || (name ?? before.name) !== before.name) requireWhole(before);
    if (patch.practices) requireOwn(own, patch.practices);
    const practices = patch.practices ? sorted(patch.practices) : before.practices;
    const after = {
      name: name ?? before.name,
      role,
      can_export: canExport,
      disabled: disabled ?? isDisabled(before),
      practices,
    };
    const disabledDate = after.disabled ? (before.disabled_date ?? isoNow()) : null;
    await tx.run(sql`
      UPDATE staff_user SET name = ${after.name}, role = ${after.role}, can_export = ${after.can_export},
        disabled_date = ${disabledDate}
      WHERE id = ${before.id}`);
    await grant(tx, before.id, practices);
    await revoke(
      tx,
      before.id,
      before.practices.filter((id) => !practices.includes(id)),
    );
    // Enabling the account again must not bring its sessions back.
    if (after.disabled && !isDisabled(before)) await endSessionsOf(tx, before.id, "disabled");
    const { practices: _practices, ...settings } = after;
    const { name: oldName, role: oldRole, can_export } = before;
    const changes = changedFields({ name: oldName, role: oldRole, can_export, disabled: isDisabled(before) }, settings);
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
 * Takes the practice away from a member. Their account stays, and so do their other practices.
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
 * Gives a member another password, made here and told this once; whoever is signed in as them is signed out.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ConflictError belongs_elsewhere, where they belong to practices that are not the admin's
 */
export async function resetMemberPassword(request: ChangeRequest): Promise<string> {
  const password = newPassword();
  const { email } = await getMember(request.access, request.userId);
  const hash = await hashPassword(password, await findSiblingHash(email));
  await change(request, async (tx, before) => {
    requireWhole(before);
    await tx.run(sql`UPDATE staff_user SET password_hash = ${hash} WHERE id = ${before.id}`);
    await endSessionsOf(tx, before.id, "password_changed");
    return {
      changes: { password: { old: null, new: "reset" } },
      events: [{ name: "member.password_reset", practices: before.practices }],
    };
  });
  return password;
}

/** One change of a member: locks, applies, looks whether each practice still has an admin, and writes it down. */
async function change(
  request: ChangeRequest,
  apply: (tx: Tx, before: Member, own: readonly number[]) => Promise<{ changes: FieldChanges; events: MemberEvent[] }>,
): Promise<Member> {
  const { access, origin, userId, ifMatch = null } = request;
  return transaction(async (tx) => {
    const own = await lockMembers(tx, access);
    const before = await getMember(access, userId, tx);
    const memberships = await listMemberships(tx, userId);
    requireVersion(ifMatch, before.version);
    const { changes, events } = await apply(tx, before, own);
    if (Object.keys(changes).length === 0) return before;
    if ((await listPracticesWithoutAdmin(tx, before.practices)).length > 0)
      throw new BusinessRuleError("last_admin", LAST_ADMIN);
    const version = before.version + 1;
    await tx.run(sql`UPDATE staff_user SET version = ${version} WHERE id = ${userId}`);
    await record(tx, request, { id: userId, version, kind: "updated", changes });
    const after = await listMemberships(tx, userId);
    if (after.length === 0) await endSessionsOf(tx, userId, isDisabled(before) ? "disabled" : "removed");
    await publishMemberships(tx, origin, { before: memberships, after });
    const about = { type: "staff" as const, id: userId, name: before.name };
    const happened = events.filter(({ practices }) => practices.length > 0);
    await auditSecurityIn(
      tx,
      happened.map((event) => ({ ...event, origin, about })),
    );
    return { ...before, version };
  });
}

const LAST_ADMIN = "A practice needs an admin. Make somebody else one first.";
/** Every change of members waits for the one before: no two admins can take each other's role at once. */
const MEMBERS = "staff members";

/** @returns the practices of the admin, who still is one */
async function lockMembers(tx: Tx, access: Access): Promise<number[]> {
  await tx.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${MEMBERS}, 0))`);
  const own = await listOwnPractices(access, tx);
  const admin = await tx.first(sql`
    SELECT id FROM staff_user WHERE id = ${access.actor.id} AND role = 'admin' AND disabled_date IS NULL`);
  if (!admin || !access.practices.every((id) => own.includes(id)))
    throw new ForbiddenError("You are not an admin of this practice any more.");
  return own;
}

function requireOwn(own: readonly number[], practices: readonly number[]): void {
  if (practices.some((id) => !own.includes(id))) throw new ValidationError({ practices: ["No such practice."] });
}

/** Role, name and account are the same in all of a member's practices. */
function requireWhole(member: Member): void {
  if (member.elsewhere)
    throw new ConflictError(
      "belongs_elsewhere",
      `${member.name} also belongs to practices that are not yours. You can remove them from yours.`,
    );
}

async function grant(tx: Tx, userId: number, practices: readonly number[]): Promise<void> {
  await tx.run(sql`
    INSERT INTO staff_user_practice (user_id, practice_id)
    SELECT ${userId}, id FROM unnest(${[...practices]}::bigint[]) AS p(id) ON CONFLICT DO NOTHING`);
}

async function revoke(tx: Tx, userId: number, practices: readonly number[]): Promise<void> {
  await tx.run(sql`
    DELETE FROM staff_user_practice WHERE user_id = ${userId} AND ${inList(sql`practice_id`, practices)}`);
}

async function record(
  tx: Tx,
  { access, origin }: MemberRequest,
  entry: { id: number; version: number; kind: "created" | "updated"; changes: FieldChanges },
): Promise<void> {
  const practiceId = access.practices[0] ?? null;
  await appendRecordVersion(tx, { type: "staff_user", practiceId, origin, occurredDate: isoNow(), ...entry });
}

/** Tells those who subscribed to `office_staff`, of which a record is a membership: who is disabled has none (design §8). */
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
/** 96 bits, in letters that can be read out. */
const newPassword = () => randomBytes(12).toString("base64url");
