import { randomUUID } from "node:crypto";
import { clock, isoNow } from "@/lib/clock";
import { prisma } from "@/lib/db/prisma";
import { db, sql } from "@/lib/db/sql";
import { type Tx, transaction } from "@/lib/db/transaction";
import { NotFoundError, ValidationError } from "@/lib/errors";
import { parseOrThrow } from "@/lib/http/validation";
import { hashPassword } from "./passwords";
import { findStaffUser } from "./queries";
import { type StaffUserInput, staffUserInput } from "./schema";

/**
 * Adds a member of the staff and gives its id. Only the password's hash is kept.
 *
 * @throws ValidationError a wrong field, or an address that is taken
 */
export async function createStaffUser(input: StaffUserInput): Promise<number> {
  const { email, name, password, role, practices } = parseOrThrow(staffUserInput, input);
  if (await findStaffUser(email)) throw new ValidationError({ email: ["Is the address of another user."] });
  const user = await prisma().staffUser.create({
    data: {
      email,
      name,
      role,
      password_hash: await hashPassword(password),
      created_date: clock.now(),
      practices: { create: practices.map((practice_id) => ({ practice_id })) },
    },
  });
  return Number(user.id);
}

/**
 * Gives a user another password; whoever is signed in as them is signed out.
 *
 * @throws NotFoundError, ValidationError
 */
export async function setStaffPassword(email: string, password: string): Promise<void> {
  const checked = parseOrThrow(staffUserInput.pick({ password: true }), { password });
  const hash = await hashPassword(checked.password);
  await transaction(async (tx) => {
    const user = await tx.first<{ id: number }>(sql`
      UPDATE staff_user SET password_hash = ${hash} WHERE email = ${email.toLowerCase()} RETURNING id`);
    if (!user) throw new NotFoundError("user");
    await endSessionsOf(tx, user.id);
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

/** Ends a session: its cookie, or a copy of it, opens nothing any more. */
export async function endSession(id: string): Promise<void> {
  await db.run(sql`UPDATE staff_session SET ended_date = ${isoNow()} WHERE id = ${id}::uuid AND ended_date IS NULL`);
}

/** Ends all sessions of a user, with what the transaction does besides. */
export async function endSessionsOf(tx: Tx, userId: number): Promise<void> {
  await tx.run(sql`
    UPDATE staff_session SET ended_date = ${isoNow()} WHERE user_id = ${userId} AND ended_date IS NULL`);
}

const KEPT_DAYS = 90;

/** Forgets sessions long after they were last used. */
export async function removeOldSessions(): Promise<void> {
  const limit = new Date(clock.now().getTime() - KEPT_DAYS * 86_400_000);
  await db.run(sql`DELETE FROM staff_session WHERE seen_date < ${limit}`);
}
