import { z } from "zod";
import type { OfficeStaffRow } from "./queries";

/** A staff member in the contract's form. */
export const officeStaff = z.object({
  id: z.int(),
  created_date: z.iso.datetime().nullable(),
  dob: z.iso.date().nullable(),
  email: z.string().nullable(),
  first_name: z.string().max(200),
  last_name: z.string().max(200),
  middle_name: z.string().max(50),
  phone: z.string().max(20).nullable(),
  practice: z.int(),
  prefix: z.string().max(20),
  sex: z.enum(["Female", "Intersex/Other", "Male", "None selected"]),
  suffix: z.string().max(20),
  user_id: z.int().nullable(),
});

/** Maps a staff member. An account has one name; its last word becomes the last name. Fields it does not have are empty. */
export function toOfficeStaffDto(row: OfficeStaffRow): z.output<typeof officeStaff> {
  const names = row.name.trim().split(/\s+/);
  return {
    id: row.id,
    created_date: row.created_date,
    dob: null,
    email: row.email,
    first_name: names.slice(0, -1).join(" "),
    last_name: names.at(-1) ?? "",
    middle_name: "",
    phone: null,
    practice: row.practice_id,
    prefix: "",
    sex: "None selected",
    suffix: "",
    user_id: row.user_id,
  };
}
