import { prisma } from "@/lib/db/prisma";
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
