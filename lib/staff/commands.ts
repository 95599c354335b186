import { clock } from "@/lib/clock";
import { prisma } from "@/lib/db/prisma";
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

/** @throws NotFoundError, ValidationError */
export async function setStaffPassword(email: string, password: string): Promise<void> {
  const checked = parseOrThrow(staffUserInput.pick({ password: true }), { password });
  const { count } = await prisma().staffUser.updateMany({
    where: { email: email.toLowerCase() },
    data: { password_hash: await hashPassword(checked.password) },
  });
  if (count === 0) throw new NotFoundError("user");
}
