import { z } from "zod";

/** Roles of staff (design §9): what each may do is checked on the server, for every page and call. */
export const STAFF_ROLES = ["admin", "staff", "viewer"] as const;
export type StaffRole = (typeof STAFF_ROLES)[number];

/** Whether a role includes what `needed` allows: an admin may what staff may, staff what a viewer may. */
export function includesRole(role: StaffRole, needed: StaffRole): boolean {
  return STAFF_ROLES.indexOf(role) <= STAFF_ROLES.indexOf(needed);
}

/** A new member of the staff. */
export const staffUserInput = z.object({
  email: z.email("Must be an e-mail address.").max(254).toLowerCase(),
  name: z.string().trim().min(1).max(200),
  password: z.string().min(12, "Must have at least 12 characters.").max(200),
  role: z.enum(STAFF_ROLES),
  practices: z.array(z.int().positive()).min(1).max(1000),
});
export type StaffUserInput = z.input<typeof staffUserInput>;
