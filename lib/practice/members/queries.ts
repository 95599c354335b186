import type { Access } from "@/lib/access/identity/access";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import { type PageRequest, type PageSlice, selectPage } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import type { UserRow } from "./user-schema";

/** A staff member in one practice. */
export type OfficeStaffRow = Row<"staff_user_practice", "id" | "practice_id" | "user_id"> &
  Row<"staff_user", "name" | "last_name" | "email" | "created_date">;

const COLUMNS = [
  "m.id",
  "m.practice_id",
  "u.id as user_id",
  "u.name",
  "u.last_name",
  "u.email",
  "u.created_date",
] as const;

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

/** The columns of an account `u` that the API shows. Never its password. */
const userColumns = (access: Access): Sql => sql`
  u.id, u.email, u.name, u.last_name, u.role, u.disabled_date, u.profile, u.version,
  (SELECT min(m.practice_id) FROM staff_user_practice m
   WHERE m.user_id = u.id AND ${inList(sql`m.practice_id`, access.practices)}) AS practice_id`;

/** Selects the members of the caller's practices. The organization comes first, because it has an index. */
const isVisibleUser = (access: Access): Sql => sql`
  u.organization_id IN (SELECT p.organization_id FROM practice p WHERE ${inList(sql`p.id`, access.practices)})
  AND EXISTS (SELECT FROM staff_user_practice m
    WHERE m.user_id = u.id AND ${inList(sql`m.practice_id`, access.practices)})`;

/** Returns a page of the users of the caller's practices, including disabled ones. */
export async function listUsers(access: Access, page: PageRequest): Promise<PageSlice<UserRow>> {
  return selectPage<UserRow>(db, {
    columns: userColumns(access),
    from: sql`staff_user u`,
    where: isVisibleUser(access),
    id: sql`u.id`,
    page,
  });
}

/** @throws NotFoundError unless the user is a member of one of the caller's practices */
export async function getUser(access: Access, id: number, read: Db = db): Promise<UserRow> {
  const user = await read.first<UserRow>(sql`
    SELECT ${userColumns(access)} FROM staff_user u WHERE u.id = ${id} AND ${isVisibleUser(access)}`);
  if (!user) throw new NotFoundError("user");
  return user;
}
