import { isDeepStrictEqual } from "node:util";
import type { SecurityEvent } from "@/lib/access/audit/events";
import { auditSecurityIn } from "@/lib/access/audit/security-commands";
import { appendRecordVersion } from "@/lib/access/history/commands";
import type { Access, FieldChanges, Origin } from "@/lib/access/identity/access";
import { endUserSessions } from "@/lib/access/staff/commands";
import { updateAccount } from "@/lib/access/staff/member-commands";
import {
  findStaffId,
  getMember,
  isEnabledAdmin,
  listOwnPractices,
  listPracticesWithoutAdmin,
} from "@/lib/access/staff/member-queries";
import type { Member } from "@/lib/access/staff/schema";
import { publishEvents } from "@/lib/events/published/publish-events";
import { isoNow } from "@/lib/platform/clock";
import { sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { BusinessRuleError, ForbiddenError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/http/conditional";
import { listMemberships, type OfficeStaffRow } from "./queries";

/** A request to change the members of practices, by an admin or by an API client with the global scope. */
export interface MemberRequest {
  /** An admin's is limited to the practice of the page. */
  access: Access;
  origin: Origin;
}
export type ChangeRequest = MemberRequest & { userId: number; ifMatch?: IfMatch };

/** A security event about a member, for the audit of practices. */
export type MemberEvent = Omit<SecurityEvent, "origin" | "about">;

/** A member in the transaction of a change. */
export interface LockedMember {
  before: Member;
  /** The practices whose members the caller manages. */
  ownPractices: readonly number[];
}

/** Runs a change to a member: locks, applies it, checks that each practice still has an admin, and records and audits it. */
export async function writeMember(
  request: ChangeRequest,
  apply: (tx: Tx, locked: LockedMember) => Promise<{ changes: FieldChanges; events: MemberEvent[] }>,
): Promise<Member> {
  const { access, origin, userId, ifMatch = null } = request;
  return transaction(async (tx) => {
    const ownPractices = await lockMembers(tx, access);
    const before = await getMember(access, userId, tx);
    const memberships = await listMemberships(tx, userId);
    requireVersion(ifMatch, before.version);
    const { changes, events } = await apply(tx, { before, ownPractices });
    if (Object.keys(changes).length === 0) return before;
    // Practices that are only used through the API may have no admin at all.
    const wasAdmin = before.role === "admin" && !isDisabled(before);
    if (wasAdmin && (await listPracticesWithoutAdmin(tx, before.practices)).length > 0)
      throw new BusinessRuleError("last_admin", LAST_ADMIN);
    const version = before.version + 1;
    await updateAccount(tx, userId, { version });
    await recordChange(tx, request, { id: userId, version, kind: "updated", changes, practices: before.practices });
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

/** Locks all members until the end of the transaction. */
export async function lockAllMembers(tx: Tx): Promise<void> {
  await tx.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${MEMBERS}, 0))`);
}

/**
 * Locks all members and returns the practices whose members the caller manages.
 *
 * @throws ForbiddenError if the caller is a user who is no longer an admin of the practice
 */
export async function lockMembers(tx: Tx, access: Access): Promise<number[]> {
  await lockAllMembers(tx);
  const ownPractices = await listOwnPractices(access, tx);
  const staffId = findStaffId(access);
  if (staffId === null) return ownPractices;
  if (!(await isEnabledAdmin(tx, staffId)) || !access.practices.every((id) => ownPractices.includes(id)))
    throw new ForbiddenError("You are no longer an admin of this practice.");
  return ownPractices;
}

/**
 * Appends a version to the history of an account, in one of the caller's practices.
 *
 * @param entry.practices the account's practices
 */
export async function recordChange(
  tx: Tx,
  { access, origin }: MemberRequest,
  entry: {
    id: number;
    version: number;
    kind: "created" | "updated";
    changes: FieldChanges;
    practices: readonly number[];
  },
): Promise<void> {
  const { practices, ...version } = entry;
  const practiceId = access.practices.find((id) => practices.includes(id)) ?? null;
  await appendRecordVersion(tx, { type: "staff_user", practiceId, origin, occurredDate: isoNow(), ...version });
}

/** Publishes webhook events for `office_staff`. Each record is a membership; disabled accounts have none. */
export async function publishMemberships(
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

/** Returns whether the account of a member is disabled. */
export const isDisabled = (member: Member) => member.disabled_date !== null;
/** Returns different IDs in ascending order. */
export const sorted = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b);
