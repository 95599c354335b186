import { randomUUID } from "node:crypto";
import type { SessionEndReason } from "@/generated/rows/enums";
import { getOrganizationId } from "@/lib/access/tenancy/organizations";
import { daysAgo, isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { deleteOlder } from "@/lib/platform/db/delete-older";
import { kysely } from "@/lib/platform/db/kysely";
import { db } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { NotFoundError, ValidationError } from "@/lib/platform/errors";
import { parseOrThrow } from "@/lib/platform/http/validation";
import { hashPassword } from "./passwords";
import { findSiblingHash } from "./queries";
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

/** Starts a session and returns its ID, which the session cookie stores. */
export async function startSession(
  userId: number,
  from: { address: string | null; userAgent: string | null },
): Promise<string> {
  const id = randomUUID();
  const now = isoNow();
  await db.run(
    kysely.insertInto("staff_session").values({
      id,
      user_id: userId,
      created_date: now,
      seen_date: now,
      address: from.address,
      user_agent: from.userAgent?.slice(0, 500) ?? null,
    }),
  );
  return id;
}

/** Records that a person used a session. */
export async function touchSession(id: string): Promise<void> {
  await db.run(
    kysely
      .updateTable("staff_session")
      .set({ seen_date: isoNow() })
      .where("id", "=", id)
      .where("ended_date", "is", null),
  );
}

/** Ends a session, but keeps its row as history. Returns the ID of its user, or null if it had already ended. */
export async function endSession(id: string, reason: SessionEndReason): Promise<number | null> {
  const ended = await db.first(
    kysely
      .updateTable("staff_session")
      .set({ ended_date: isoNow(), end_reason: reason })
      .where("id", "=", id)
      .where("ended_date", "is", null)
      .returning("user_id"),
  );
  return ended?.user_id ?? null;
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
