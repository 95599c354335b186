import type { Access } from "@/lib/access/identity/access";
import { type PageRequest, type PageSlice, selectPage } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";

/** A staff member in one practice. */
export type OfficeStaffRow = Row<"staff_user_practice", "id" | "practice_id" | "user_id"> &
  Row<"staff_user", "name" | "email" | "created_date">;

const COLUMNS = sql`m.id, m.practice_id, u.id AS user_id, u.name, u.email, u.created_date`;
const FROM = sql`staff_user_practice m JOIN staff_user u ON u.id = m.user_id`;

/** Returns a page of the staff of the caller's practices, without disabled accounts. */
export async function listOfficeStaff(access: Access, page: PageRequest): Promise<PageSlice<OfficeStaffRow>> {
  return selectPage<OfficeStaffRow>(db, {
    columns: COLUMNS,
    from: FROM,
    where: sql`${inList(sql`m.practice_id`, access.practices)} AND u.disabled_date IS NULL`,
    id: sql`m.id`,
    page,
  });
}

/** @throws NotFoundError if the member does not exist or belongs to another practice */
export async function getOfficeStaff(access: Access, id: number): Promise<OfficeStaffRow> {
  const found = await db.first<OfficeStaffRow>(sql`
    SELECT ${COLUMNS} FROM ${FROM}
    WHERE m.id = ${id} AND ${inList(sql`m.practice_id`, access.practices)} AND u.disabled_date IS NULL`);
  if (!found) throw new NotFoundError("member of the staff");
  return found;
}

/** Lists the `office_staff` records of a user in all practices. A disabled user has none. */
export async function listMemberships(read: Db, userId: number): Promise<OfficeStaffRow[]> {
  return read.rows<OfficeStaffRow>(
    sql`SELECT ${COLUMNS} FROM ${FROM} WHERE u.id = ${userId} AND u.disabled_date IS NULL ORDER BY m.id`,
  );
}

/** Returns the user IDs that belong to no member of the practice. */
export async function findAbsentStaff(
  read: Db,
  { practiceId, ids }: { practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const rows = await read.rows<Row<"staff_user_practice", "user_id">>(
    sql`SELECT user_id FROM staff_user_practice WHERE practice_id = ${practiceId} AND ${inList(sql`user_id`, ids)}`,
  );
  const found = new Set(rows.map(({ user_id }) => user_id));
  return ids.filter((id) => !found.has(id));
}
