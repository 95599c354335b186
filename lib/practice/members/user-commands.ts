import { ValidationError } from "@/lib/platform/errors";
import { requireOwnPractice } from "@/lib/practice/practices/rules";
import { addMember } from "./commands";
import { applyMemberPatch } from "./member-patch";
import { type ChangeRequest, type MemberRequest, writeMember } from "./member-writes";
import { getUser } from "./queries";
import { roleOf, toClientFields, toUserDto, type UserInput, type UserPatch, type UserRow } from "./user-schema";

/**
 * Adds a member to a practice of the client. Nobody knows the password of the account: an admin resets it, or the person signs in
 * with OpenID.
 *
 * @throws ValidationError if the address is taken in the organization, or the client can't access the practice
 */
export async function createUser({ access, origin }: MemberRequest, sent: UserInput): Promise<UserRow> {
  requireOwnPractice(access, sent.practice);
  const { id } = await addMember(
    { access, origin },
    {
      email: sent.email,
      name: fullName(sent),
      role: roleOf(sent),
      practices: [sent.practice],
      disabled: !sent.is_active,
      clientFields: toClientFields(sent),
    },
  );
  return getUser(access, id);
}

/**
 * Changes a user. Omitted fields stay.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ValidationError if the address or the practice would change
 * @throws ConflictError belongs_elsewhere, if the user belongs to practices that the client can't access
 * @throws BusinessRuleError last_admin, if a practice would have no admin left
 */
export async function updateUser(request: ChangeRequest, sent: UserPatch): Promise<UserRow> {
  const { access, userId } = request;
  await writeMember(request, async (tx, locked) => {
    const before = toUserDto(await getUser(access, userId, tx));
    requireSameAccount(sent, { email: before.email, practices: locked.before.practices });
    const after = { ...before, ...sent };
    return applyMemberPatch(tx, locked, {
      name: "first_name" in sent || "last_name" in sent ? fullName(after) : locked.before.name,
      role: roleOf(after),
      disabled: !after.is_active,
      clientFields: [toClientFields(before), toClientFields(after)],
    });
  });
  return getUser(access, userId);
}

/** Requires what admins can't change in an account either, or decide about: its address, and the practices it belongs to. */
function requireSameAccount(sent: UserPatch, account: { email: string; practices: readonly number[] }): void {
  if (sent.email !== undefined && sent.email !== account.email)
    throw new ValidationError({ email: ["The email address of an account can't be changed. Create another user."] });
  if (sent.practice !== undefined && !account.practices.includes(sent.practice))
    throw new ValidationError({ practice: ["Is not a practice of this user. An admin can add the user to it."] });
}

const fullName = ({ first_name, last_name }: Pick<UserInput, "first_name" | "last_name">) =>
  `${first_name} ${last_name}`.trim();
