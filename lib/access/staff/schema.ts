import { z } from "zod";
import type { Row } from "@/lib/platform/db/rows";
import { email } from "@/lib/platform/http/validation";
import { STAFF_ROLES } from "./roles";

/** In characters. */
export const MAX_PASSWORD_LENGTH = 200;

/** A new staff user. */
export const staffUserInput = z.object({
  email: email.toLowerCase(),
  name: z.string().trim().min(1).max(200),
  password: z.string().min(12, "Must have at least 12 characters.").max(MAX_PASSWORD_LENGTH),
  role: z.enum(STAFF_ROLES),
  /** Default: see `exportsByDefault`. */
  can_export: z.boolean().optional(),
  gets_alerts: z.boolean().optional(),
  practices: z.array(z.int().positive()).min(1).max(1000),
});

export type StaffUserInput = z.input<typeof staffUserInput>;

/** A new member, as an admin sends it. If it has no password, one is generated and shown once. */
export const memberInput = staffUserInput.extend({ password: staffUserInput.shape.password.optional() });

export type MemberInput = z.output<typeof memberInput>;

/** Changes to a member. Omitted fields stay, and so do practices that the admin doesn't belong to. */
export const memberPatch = z
  .object({
    name: staffUserInput.shape.name,
    role: staffUserInput.shape.role,
    can_export: z.boolean(),
    gets_alerts: z.boolean(),
    practices: staffUserInput.shape.practices,
    disabled: z.boolean(),
  })
  .partial();

export type MemberPatch = z.output<typeof memberPatch>;

/** A member of a practice, as its admins see it. */
export interface Member
  extends Row<
    "staff_user",
    "id" | "email" | "name" | "role" | "can_export" | "gets_alerts" | "created_date" | "disabled_date" | "version"
  > {
  /** Their practices that the admin belongs to. */
  practices: number[];
  /** They also belong to practices that the admin doesn't belong to. */
  elsewhere: boolean;
  /** Last use, ISO 8601. Null if they have no stored session. */
  seen_date: Row<"staff_session">["seen_date"] | null;
}
