import { randomUUID } from "node:crypto";
import type { SessionEndReason } from "@/generated/rows/enums";
import { getOrganizationId } from "@/lib/access/tenancy/organizations";
import { clock, isoNow } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { NotFoundError, ValidationError } from "@/lib/platform/errors";
import { parseOrThrow } from "@/lib/platform/http/validation";
import { hashPassword } from "./passwords";
import { findSiblingHash } from "./queries";
import { exportsByDefault, type StaffUserInput, staffUserInput } from "./schema";

/**
 * Adds an account to the organization of its practices and gives its id. Only the password's hash is kept.
 *
 * @throws ValidationError a wrong field, practices of several organizations, or an address that is taken in this one
 */
export async function createStaffUser(input: StaffUserInput): Promise<number> {
  const { email, name, password, role, can_export, practices } = parseOrThrow(staffUserInput, input);
  const hash = await hashPassword(password, await findSiblingHash(email));
  return transaction(async (tx) => {
    const organizationId = await requireOneOrganization(tx, practices);
    const user = await tx.first<Row<"staff_user", "id">>(sql`
      INSERT INTO staff_user (organization_id, email, name, role, can_export, password_hash, created_date)
      VALUES (${organizationId}, ${email}, ${name}, ${role}, ${can_export ?? exportsByDefault(role)}, ${hash}, ${isoNow()})
      ON CONFLICT (organization_id, email) DO NOTHING RETURNING id`);
    if (!user) throw new ValidationError({ email: ["Is the address of another user."] });
    await tx.run(sql`
      INSERT INTO staff_user_practice (user_id, practice_id)
      SELECT ${user.id}, id FROM unnest(${practices}::bigint[]) AS p(id) ON CONFLICT DO NOTHING`);
    return user.id;
  });
}

async function requireOneOrganization(tx: Tx, practices: readonly number[]): Promise<number> {
  const all = new Set<number>();
  for (const id of practices) all.add(await getOrganizationId(tx, id));
  const [organizationId] = all;
  if (organizationId === undefined || all.size > 1)
    throw new ValidationError({ practices: ["Must all belong to one organization."] });
  return organizationId;
}

/**
 * Gives an account another password; whoever is signed in with it is signed out.
 *
 * @throws NotFoundError, ValidationError
 */
export async function setStaffPassword(userId: number, password: string): Promise<void> {
  const checked = parseOrThrow(staffUserInput.pick({ password: true }), { password });
  const user = await db.first<Row<"staff_user", "email">>(sql`SELECT email FROM staff_user WHERE id = ${userId}`);
  if (!user) throw new NotFoundError("user");
  const hash = await hashPassword(checked.password, await findSiblingHash(user.email));
  await transaction(async (tx) => {
    await tx.run(sql`UPDATE staff_user SET password_hash = ${hash} WHERE id = ${userId}`);
    await endSessionsOf(tx, userId, "password_changed");
  });
}

/** Notes a sign-in; its id goes into the browser's cookie. */
export async function startSession(
  userId: number,
  from: { address: string | null; userAgent: string | null },
): Promise<string> {
  const id = randomUUID();
  const now = isoNow();
  await db.run(sql`
    INSERT INTO staff_session (id, user_id, created_date, seen_date, address, user_agent)
    VALUES (${id}::uuid, ${userId}, ${now}, ${now}, ${from.address}, ${from.userAgent?.slice(0, 500) ?? null})`);
  return id;
}

/** Notes that a person used a session just now. */
export async function touchSession(id: string): Promise<void> {
  await db.run(sql`UPDATE staff_session SET seen_date = ${isoNow()} WHERE id = ${id}::uuid AND ended_date IS NULL`);
}

/**
 * Ends a session: its cookie, or a copy of it, opens nothing any more. Its row stays, as history.
 *
 * @returns whose it was; null where it was over before
 */
export async function endSession(id: string, reason: SessionEndReason): Promise<number | null> {
  const ended = await db.first<Row<"staff_session", "user_id">>(sql`
    UPDATE staff_session SET ended_date = ${isoNow()}, end_reason = ${reason}
    WHERE id = ${id}::uuid AND ended_date IS NULL RETURNING user_id`);
  return ended?.user_id ?? null;
}

/** Ends all sessions of a user, with what the transaction does besides. */
export async function endSessionsOf(tx: Tx, userId: number, reason: SessionEndReason): Promise<void> {
  await tx.run(sql`
    UPDATE staff_session SET ended_date = ${isoNow()}, end_reason = ${reason}
    WHERE user_id = ${userId} AND ended_date IS NULL`);
}

/** As long as HIPAA wants documentation kept (45 CFR 164.316(b)(2)): six years. */
const KEPT_DAYS = 6 * 366;

/** Removes the history of sessions that were last used long ago. */
export async function removeOldSessions(): Promise<void> {
  const limit = new Date(clock.now().getTime() - KEPT_DAYS * 86_400_000);
  await db.run(sql`DELETE FROM staff_session WHERE seen_date < ${limit}`);
}
