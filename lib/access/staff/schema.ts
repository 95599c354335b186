import { z } from "zod";
import type { StaffRole } from "@/generated/rows/enums";
import type { Row } from "@/lib/platform/db/rows";
import { email } from "@/lib/platform/http/validation";

/** Roles of staff (design §9): what each may do is checked on the server, for every page and call. */
export const STAFF_ROLES = ["admin", "staff", "viewer"] as const satisfies readonly StaffRole[];
export type { StaffRole };

/** Whether a role includes what `needed` allows: an admin may what staff may, staff what a viewer may. */
export function includesRole(role: StaffRole, needed: StaffRole): boolean {
  return STAFF_ROLES.indexOf(role) <= STAFF_ROLES.indexOf(needed);
}

/** Whether a role may take data away as files where nothing else is said. Admins always may (ADR 0113). */
export function exportsByDefault(role: StaffRole): boolean {
  return role !== "viewer";
}

/** Characters of a password. */
export const MAX_PASSWORD = 200;

/** A new member of the staff. */
export const staffUserInput = z.object({
  email: email.toLowerCase(),
  name: z.string().trim().min(1).max(200),
  password: z.string().min(12, "Must have at least 12 characters.").max(MAX_PASSWORD),
  role: z.enum(STAFF_ROLES),
  /** Left out: as the role has it by default. */
  can_export: z.boolean().optional(),
  practices: z.array(z.int().positive()).min(1).max(1000),
});

export type StaffUserInput = z.input<typeof staffUserInput>;

/** A new member, as an admin sends it. Without a password one is made, and told once. */
export const memberInput = staffUserInput.extend({ password: staffUserInput.shape.password.optional() });

export type MemberInput = z.output<typeof memberInput>;

/** What an admin may change of a member. What is left out stays; practices that are not the admin's own always stay. */
export const memberPatch = z
  .object({
    name: staffUserInput.shape.name,
    role: staffUserInput.shape.role,
    can_export: z.boolean(),
    practices: staffUserInput.shape.practices,
    disabled: z.boolean(),
  })
  .partial();

export type MemberPatch = z.output<typeof memberPatch>;

/** A member of a practice as its admins see them. */
export interface Member
  extends Row<
    "staff_user",
    "id" | "email" | "name" | "role" | "can_export" | "created_date" | "disabled_date" | "version"
  > {
  /** Practices they share with the admin. */
  practices: number[];
  /** They belong to further practices, which are none of the admin's business. */
  elsewhere: boolean;
  /** Their last use, ISO 8601; null where they never signed in, or not for long. */
  seen_date: string | null;
}

/** The sign-in's answer where a password is right in several organizations: before a JSON list of their ids and names. */
export const CHOOSE_ORGANIZATION = "organizations:";
