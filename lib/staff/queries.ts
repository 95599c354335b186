import { prisma } from "@/lib/db/prisma";
import { db, sql } from "@/lib/db/sql";
import type { StaffRole } from "./schema";

/** A member of the staff as the sign-in needs it. */
export interface StaffUser {
  id: number;
  email: string;
  name: string;
  role: StaffRole;
  passwordHash: string;
  practices: number[];
}

/** The enabled user with this e-mail address, in any case, or null. */
export async function findStaffUser(email: string): Promise<StaffUser | null> {
  const user = await prisma().staffUser.findFirst({
    where: { email: email.toLowerCase(), disabled_date: null },
    include: { practices: { orderBy: { practice_id: "asc" } } },
  });
  if (!user) return null;
  return {
    id: Number(user.id),
    email: user.email,
    name: user.name,
    role: user.role as StaffRole,
    passwordHash: user.password_hash,
    practices: user.practices.map(({ practice_id }) => Number(practice_id)),
  };
}

/** A session that is not over, with its user. */
export interface OpenSession {
  id: string;
  user_id: number;
  name: string;
  email: string;
  role: StaffRole;
  practices: number[];
  created_date: string;
  seen_date: string;
}

/**
 * The session of this id, unless it was ended, began before `bornAfter` or was last used before `seenAfter` (ISO 8601), or
 * its user is disabled.
 */
export async function findOpenSession(
  id: string,
  limits: { bornAfter: string; seenAfter: string },
): Promise<OpenSession | null> {
  return db.first<OpenSession>(sql`
    SELECT s.id, u.id AS user_id, u.name, u.email, u.role, s.created_date, s.seen_date,
      coalesce((SELECT json_agg(m.practice_id ORDER BY m.practice_id) FROM staff_user_practice m WHERE m.user_id = u.id),
        '[]') AS practices
    FROM staff_session s JOIN staff_user u ON u.id = s.user_id
    WHERE s.id = ${id}::uuid AND s.ended_date IS NULL AND u.disabled_date IS NULL
      AND s.created_date > ${limits.bornAfter} AND s.seen_date > ${limits.seenAfter}`);
}
