import { randomUUID } from "node:crypto";
import type { SessionEndReason } from "@/generated/rows/enums";
import { getOrganizationId } from "@/lib/access/tenancy/organizations";
import { daysAgo, isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { deleteOlder } from "@/lib/platform/db/delete-older";
import { databaseNow } from "@/lib/platform/db/due-time";
import { kysely } from "@/lib/platform/db/kysely";
import { type Db, db, empty, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { NotFoundError, ValidationError } from "@/lib/platform/errors";
import { parseOrThrow } from "@/lib/platform/http/validation";
import { hashPassword } from "./passwords";
import { expiryOf, findSiblingHash } from "./queries";
import { exportsByDefault } from "./roles";
import { type StaffUserInput, staffUserInput } from "./schema";

/**
 * Adds an account to the organization of its practices and returns its ID. Only the hash of the password is stored.
 *
 * @throws ValidationError if a field is invalid, the practices belong to several organizations, or the email address is taken
 */
export async function createStaffUser(input: StaffUserInput): Promise<number> {
  const { email, name, password, role, can_export, gets_alerts, practices } = parseOrThrow(staffUserInput, input);
  const hash = await hashPassword(password, await findSiblingHash(email));
  return transaction(async (tx) => {
    const user = await tx.first(
      kysely
        .insertInto("staff_user")
        .values({
          organization_id: await requireOneOrganization(tx, practices),
          email,
          name,
          role,
          can_export: can_export ?? exportsByDefault(role),
          gets_alerts: gets_alerts ?? false,
          password_hash: hash,
          created_date: isoNow(),
        })
        .onConflict((conflict) => conflict.columns(["organization_id", "email"]).doNothing())
        .returning("id"),
    );
    if (!user) throw new ValidationError({ email: ["Another user has this email address."] });
    const memberships = [...new Set(practices)].map((practice_id) => ({ user_id: user.id, practice_id }));
    await tx.run(kysely.insertInto("staff_user_practice").values(memberships));
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
 * Changes the password of an account and ends its sessions.
 *
 * @throws NotFoundError, ValidationError
 */
export async function setStaffPassword(userId: number, password: string): Promise<void> {
  const checked = parseOrThrow(staffUserInput.pick({ password: true }), { password });
  const user = await db.first(kysely.selectFrom("staff_user").select("email").where("id", "=", userId));
  if (!user) throw new NotFoundError("user");
  const password_hash = await hashPassword(checked.password, await findSiblingHash(user.email));
  await transaction(async (tx) => {
    await tx.run(kysely.updateTable("staff_user").set({ password_hash }).where("id", "=", userId));
    await endUserSessions(tx, userId, "password_changed");
  });
}

/**
 * Starts a session and returns its ID, which the session cookie stores. Returns null if the account was disabled meanwhile, or if its
 * password is no longer the one of `passwordHash`: checking it takes a while, and a new password ends only the sessions that exist.
 */
export async function startSession(
  userId: number,
  from: { address: string | null; userAgent: string | null },
  passwordHash?: string,
): Promise<string | null> {
  const verified = passwordHash === undefined ? empty : sql`AND password_hash = ${passwordHash}`;
  const session = await db.first<{ id: string }>(sql`
    INSERT INTO staff_session (id, user_id, created_date, seen_date, address, user_agent)
    SELECT ${randomUUID()}::uuid, id, ${databaseNow()}, ${databaseNow()}, ${from.address}, ${from.userAgent?.slice(0, 500) ?? null}
    FROM (SELECT id FROM staff_user WHERE id = ${userId} AND disabled_date IS NULL ${verified} FOR SHARE) account RETURNING id`);
  return session?.id ?? null;
}

/** Records that a person used a session. */
export async function touchSession(id: string): Promise<void> {
  await db.run(
    sql`UPDATE staff_session SET seen_date = ${databaseNow()} WHERE id = ${id}::uuid AND ended_date IS NULL`,
  );
}

/** Ends a session, but keeps its row as history. Returns false if it had already ended. */
export async function endSession(db: Db, id: string, reason: SessionEndReason): Promise<boolean> {
  const ended = await db.first(sql`
    UPDATE staff_session SET ended_date = ${databaseNow()}, end_reason = ${reason}
    WHERE id = ${id}::uuid AND ended_date IS NULL RETURNING id`);
  return ended !== null;
}

/** Ends a session that has expired. Returns the reason, or null if it has not, or had already ended. */
export async function endExpiredSession(db: Db, id: string): Promise<"age" | "idle" | null> {
  const { age, idle } = expiryOf();
  const ended = await db.first<{ reason: "age" | "idle" }>(sql`
    UPDATE staff_session s SET ended_date = ${databaseNow()}, end_reason = CASE WHEN ${age} THEN 'age' ELSE 'idle' END::session_end_reason
    WHERE id = ${id}::uuid AND ended_date IS NULL AND (${age} OR ${idle}) RETURNING end_reason AS reason`);
  return ended?.reason ?? null;
}

/** Ends all sessions of a user in the caller's transaction. */
export async function endUserSessions(tx: Tx, userId: number, reason: SessionEndReason): Promise<void> {
  await tx.run(
    kysely
      .updateTable("staff_session")
      .set({ ended_date: isoNow(), end_reason: reason })
      .where("user_id", "=", userId)
      .where("ended_date", "is", null),
  );
}

/** Deletes sessions that were last used AUDIT_RETENTION_DAYS ago. */
export async function removeOldSessions(): Promise<number> {
  return deleteOlder("staff_session", "seen_date", daysAgo(config().AUDIT_RETENTION_DAYS));
}
