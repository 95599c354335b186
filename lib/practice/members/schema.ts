import { z } from "zod";
import type { Row } from "@/lib/platform/db/rows";
import type { OfficeStaffRow } from "./queries";

/** A staff member in the contract's form. */
export const officeStaff = z
  .object({
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
  })
  .meta({ title: "OfficeStaff" });

/** Splits the one name of an account. The last name is what a client set, or else the last word. */
export function splitName({ name, last_name }: Pick<Row<"staff_user">, "name" | "last_name">) {
  if (last_name !== null && name.endsWith(` ${last_name}`))
    return { first_name: name.slice(0, -last_name.length - 1), last_name };
  const words = name.trim().split(/\s+/);
  return { first_name: words.slice(0, -1).join(" "), last_name: words.at(-1) ?? "" };
}

/** Maps a staff member. Fields that an account does not have are empty. */
export function toOfficeStaffDto(row: OfficeStaffRow): z.output<typeof officeStaff> {
  return {
    id: row.id,
    created_date: row.created_date,
    dob: null,
    email: row.email,
    ...splitName(row),
    middle_name: "",
    phone: null,
    practice: row.practice_id,
    prefix: "",
    sex: "None selected",
    suffix: "",
    user_id: row.user_id,
  };
}
