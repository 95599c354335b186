import { z } from "zod";
import { staffUserInput } from "@/lib/access/staff/schema";
import { isTimezone } from "@/lib/platform/http/timezone";
import { practiceShape } from "@/lib/practice/practices/schema";

const name = practiceShape.name.trim().min(1);
/** IANA. */
const timezone = z.string().refine(isTimezone, "Must be a time zone such as America/New_York.").optional();

/** Another practice of an organization. */
export const practiceSetup = z.object({ name, timezone });

/** A new organization with its first practice and admin. */
export const organizationSetup = z.object({
  organization: z.string().trim().min(1).max(200),
  practice: name,
  timezone,
  email: staffUserInput.shape.email,
  /** Of the admin. Default: the email address. */
  name: staffUserInput.shape.name.optional(),
  password: staffUserInput.shape.password,
});

export type PracticeSetup = z.output<typeof practiceSetup>;
export type OrganizationSetup = z.output<typeof organizationSetup>;
