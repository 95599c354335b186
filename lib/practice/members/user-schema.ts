import { z } from "zod";
import type { StaffRole } from "@/lib/access/staff/roles";
import type { Row } from "@/lib/platform/db/rows";
import { ValidationError } from "@/lib/platform/errors";
import { email, reference } from "@/lib/platform/http/validation";
import { splitName } from "./schema";

const text = (max: number) => z.string().max(max);

const physicianQualifications = z
  .object({
    credentials: text(50),
    dea: text(50).optional(),
    license: text(50),
    license_state: text(2),
    npi: text(10).nullable().optional(),
  })
  .meta({ title: "PhysicianQualifications" });

/** Fields of the contract's users that staff accounts don't use. They are kept with the account. */
const profile = z.object({
  account_type: z.enum(["regular", "oncall", "ft_non_prescribing", "pt_prescribing"]).nullable(),
  credentialed: z.boolean(),
  has_chart_access: z.boolean().describe("Kept for clients. Staff pages don't depend on it."),
  physician_qualifications: physicianQualifications.optional(),
  user_type: z.enum(["physician", "staff"]),
});
export type UserProfile = z.output<typeof profile>;

/** The profile of accounts for which no client has set one. */
export const DEFAULT_PROFILE: UserProfile = {
  account_type: null,
  credentialed: false,
  has_chart_access: true,
  user_type: "staff",
};

const name = (max: number) => z.string().trim().min(1).max(max);
const role = {
  is_practice_admin: z.boolean().describe("Gives the account the role `admin`."),
  is_read_only: z.boolean().describe("Gives the account the role `viewer`. An admin can't be read-only."),
};
const isActive = z.boolean().describe("Whether the person can sign in.");
const { user_type, ...otherProfile } = profile.shape;

/** Body of POST. */
export const userInput = z
  .object({
    first_name: name(50),
    last_name: name(60),
    is_active: isActive,
    user_type,
    email: email.toLowerCase(),
    practice: reference,
    ...z.object({ ...otherProfile, ...role }).partial().shape,
  })
  .meta({ title: "UserInput" });
export type UserInput = z.output<typeof userInput>;

/** Body of PATCH. */
export const userPatch = userInput.partial().meta({ title: "UserPatch" });
export type UserPatch = z.output<typeof userPatch>;

/** A user in responses: the contract's `User`. */
export const userResponse = z
  .object({
    id: z.int(),
    email: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    practice: z.int().describe("The first of the account's practices that the client can access."),
    is_active: isActive,
    ...role,
    ...profile.shape,
  })
  .meta({ title: "User" });

/** An account with the practice that responses show. */
export type UserRow = Pick<
  Row<"staff_user">,
  "id" | "email" | "name" | "last_name" | "role" | "disabled_date" | "profile" | "version"
> & { practice_id: number };

/** Maps an account to the contract's form. */
export function toUserDto(row: UserRow): z.output<typeof userResponse> {
  return {
    id: row.id,
    email: row.email,
    ...splitName(row),
    practice: row.practice_id,
    is_active: row.disabled_date === null,
    is_practice_admin: row.role === "admin",
    is_read_only: row.role === "viewer",
    ...DEFAULT_PROFILE,
    ...row.profile,
  };
}

/**
 * Returns the role of a user.
 *
 * @throws ValidationError if an admin would be read-only
 */
export function roleOf(user: Pick<UserInput, "is_practice_admin" | "is_read_only">): StaffRole {
  if (user.is_practice_admin && user.is_read_only)
    throw new ValidationError({ is_read_only: ["A practice admin can't be read-only."] });
  if (user.is_practice_admin) return "admin";
  return user.is_read_only ? "viewer" : "staff";
}

/** Returns what the account keeps of a user for clients. */
export function toClientFields(user: Partial<UserInput> & Pick<UserInput, "last_name">) {
  const { last_name, account_type, credentialed, has_chart_access, physician_qualifications, user_type } = user;
  const sent = { account_type, credentialed, has_chart_access, physician_qualifications, user_type };
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  return { last_name, profile: { ...DEFAULT_PROFILE, ...given } };
}
