import type { Access } from "@/lib/access/identity/access";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import { type PageRequest, type PageSlice, selectPage } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, raw, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";

/** A staff member in one practice. */
export type OfficeStaffRow = Row<"staff_user_practice", "id" | "practice_id" | "user_id"> &
  Row<"staff_user", "name" | "email" | "created_date">;

const COLUMNS = ["m.id", "m.practice_id", "u.id as user_id", "u.name", "u.email", "u.created_date"] as const;

/** Selects the staff of all practices, without disabled accounts. */
const OFFICE_STAFF = kysely
  .selectFrom("staff_user_practice as m")
  .innerJoin("staff_user as u", "u.id", "m.user_id")
  .select(COLUMNS)
  .where("u.disabled_date", "is", null);

/** Returns a page of the staff of the caller's practices, without disabled accounts. */
export async function listOfficeStaff(access: Access, page: PageRequest): Promise<PageSlice<OfficeStaffRow>> {
  return selectPage<OfficeStaffRow>(db, {
    columns: raw(COLUMNS.join(", ")),
    from: sql`staff_user_practice m JOIN staff_user u ON u.id = m.user_id`,
    where: sql`${inList(sql`m.practice_id`, access.practices)} AND u.disabled_date IS NULL`,
    id: sql`m.id`,
    page,
  });
}

/** @throws NotFoundError if the member does not exist or belongs to another practice */
export async function getOfficeStaff(access: Access, id: number): Promise<OfficeStaffRow> {
  const found = await db.first(
    OFFICE_STAFF.where("m.id", "=", id).where("m.practice_id", "=", anyOf(access.practices)),
  );
  if (!found) throw new NotFoundError("staff member");
  return found;
}

/** Lists the `office_staff` records of a user in all practices. A disabled user has none. */
export async function listMemberships(read: Db, userId: number): Promise<OfficeStaffRow[]> {
  return read.rows(OFFICE_STAFF.where("u.id", "=", userId).orderBy("m.id"));
}

/** Returns the user IDs that belong to no member of the practice. */
export async function findAbsentStaff(
  read: Db,
  { practiceId, ids }: { practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const rows = await read.rows(
    kysely
      .selectFrom("staff_user_practice")
      .select("user_id")
      .where("practice_id", "=", practiceId)
      .where("user_id", "=", anyOf(ids)),
  );
  const found = new Set(rows.map(({ user_id }) => user_id));
  return ids.filter((id) => !found.has(id));
}
