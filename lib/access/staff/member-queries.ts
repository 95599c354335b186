import type { Access } from "@/lib/access/identity/access";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import type { Member } from "./schema";

/**
 * Returns a condition: the practice is the caller's own. A signed-in user belongs to it, even if it is outside the narrowed access. A
 * client has access to it.
 */
export function isOwnPractice(access: Access, practiceId: Sql): Sql {
  const staffId = findStaffId(access);
  if (staffId === null) return inList(practiceId, access.practices);
  return sql`EXISTS (SELECT FROM staff_user_practice own
    WHERE own.user_id = ${staffId} AND own.practice_id = ${practiceId})`;
}

/** Lists the IDs of the practices that are the caller's own (see `isOwnPractice`). */
export async function listOwnPractices(access: Access, read: Db = db): Promise<number[]> {
  const staffId = findStaffId(access);
  if (staffId === null) return [...access.practices];
  const own = await read.rows(
    kysely
      .selectFrom("staff_user_practice")
      .select("practice_id")
      .where("user_id", "=", staffId)
      .orderBy("practice_id"),
  );
  return own.map(({ practice_id }) => practice_id);
}

/** Lists the members of the caller's practices, disabled ones last. */
export async function listMembers(access: Access): Promise<Member[]> {
  return db.rows<Member>(sql`${selectMembers(access)} ORDER BY u.disabled_date IS NOT NULL, lower(u.name), u.id`);
}

/** @throws NotFoundError unless the user is a member of one of the caller's practices */
export async function getMember(access: Access, userId: number, read: Db = db): Promise<Member> {
  const member = await read.first<Member>(sql`${selectMembers(access)} AND u.id = ${userId}`);
  if (!member) throw new NotFoundError("staff member");
  return member;
}

/** Returns a subquery for the name of a staff user. */
export function staffNameOf(userId: Sql): Sql {
  return sql`(SELECT named.name FROM staff_user named WHERE named.id = ${userId})`;
}

/** Returns an SQL expression: the user ID of the active staff account of a practice with this email address, or null. */
export function staffUserWithEmail(email: Sql, practiceId: Sql): Sql {
  return sql`(SELECT u.id FROM staff_user u JOIN staff_user_practice m ON m.user_id = u.id
    WHERE u.email = lower(${email}) AND m.practice_id = ${practiceId} AND u.disabled_date IS NULL)`;
}

/** Lists the enabled staff users of the caller's practices, to whom work can be assigned. */
export async function listColleagues(access: Access): Promise<Row<"staff_user", "id" | "name">[]> {
  const members = kysely.selectFrom("staff_user_practice").where("practice_id", "=", anyOf(access.practices));
  return db.rows(
    kysely
      .selectFrom("staff_user")
      .select(["id", "name"])
      .where("id", "in", members.select("user_id"))
      .where("disabled_date", "is", null)
      .orderBy((user) => user.fn("lower", ["name"]))
      .orderBy("id"),
  );
}

function selectMembers(access: Access): Sql {
  const own = isOwnPractice(access, sql`m.practice_id`);
  return sql`
    SELECT u.id, u.email, u.name, u.role, u.role = 'admin' OR u.can_export AS can_export, u.gets_alerts, u.created_date, u.disabled_date, u.version,
      (SELECT coalesce(json_agg(m.practice_id ORDER BY m.practice_id) FILTER (WHERE ${own}), '[]')
       FROM staff_user_practice m WHERE m.user_id = u.id) AS practices,
      EXISTS (SELECT FROM staff_user_practice m WHERE m.user_id = u.id AND NOT ${own}) AS elsewhere,
      (SELECT max(s.seen_date) FROM staff_session s WHERE s.user_id = u.id) AS seen_date
    FROM staff_user u
    WHERE EXISTS (SELECT FROM staff_user_practice here
      WHERE here.user_id = u.id AND ${inList(sql`here.practice_id`, access.practices)})`;
}

const ADMINS = kysely
  .selectFrom("staff_user_practice as m")
  .innerJoin("staff_user as u", "u.id", "m.user_id")
  .where("u.role", "=", "admin")
  .where("u.disabled_date", "is", null);

/** Returns whether an account is an enabled admin of any practice. */
export async function isEnabledAdmin(read: Db, userId: number): Promise<boolean> {
  return (await read.first(ADMINS.select("u.id").where("u.id", "=", userId).limit(1))) !== null;
}

/** Lists the enabled admins of a practice. */
export async function listAdmins(
  read: Db,
  practiceId: number,
): Promise<Row<"staff_user", "id" | "email" | "name" | "can_export" | "version">[]> {
  return read.rows(
    ADMINS.select(["u.id", "u.email", "u.name", "u.can_export", "u.version"])
      .where("m.practice_id", "=", practiceId)
      .orderBy("u.id"),
  );
}

/** Lists the names of the enabled admins of the caller's practices. */
export async function listAdminNames(access: Access): Promise<string[]> {
  const admins = await db.rows(
    ADMINS.select("u.name").where("m.practice_id", "=", anyOf(access.practices)).distinct().orderBy("u.name"),
  );
  return admins.map(({ name }) => name);
}

/** Lists the email addresses of admins who get alerts, with their practices, or only this one. For background work. */
export async function listAlertRecipients(
  only: { practiceId: number; email: string } | null = null,
): Promise<{ practice_id: number; email: string }[]> {
  const all = ADMINS.select(["m.practice_id", "u.email"]).where("u.gets_alerts", "=", true).orderBy("u.id");
  if (only === null) return db.rows(all);
  return db.rows(all.where("m.practice_id", "=", only.practiceId).where("u.email", "=", only.email));
}

/** Returns which of the practices have no enabled admin. */
export async function listPracticesWithoutAdmin(read: Db, practices: readonly number[]): Promise<number[]> {
  const admins = await read.rows(ADMINS.select("m.practice_id").where("m.practice_id", "=", anyOf(practices)));
  const managed = new Set(admins.map(({ practice_id }) => practice_id));
  return practices.filter((id) => !managed.has(id));
}

/** Returns the ID of the signed-in user. @throws Error unless the caller is one */
export function requireStaffId(access: Access): number {
  const id = findStaffId(access);
  if (id === null) throw new Error("the caller is not a signed-in user");
  return id;
}

/** Returns the ID of the signed-in user, or null if the caller is an API client. @throws Error if the caller is neither */
export function findStaffId({ actor }: Access): number | null {
  if (actor.type === "client") return null;
  if (actor.type !== "staff" || actor.id === null) throw new Error("the caller is not a signed-in user");
  return actor.id;
}

/** Selects the members of a practice among these users: `id`. */
export function selectMemberIds(practiceId: number, ids: readonly number[]): Sql {
  return sql`SELECT s.user_id AS id FROM staff_user_practice s
    WHERE s.practice_id = ${practiceId} AND ${inList(sql`s.user_id`, ids)}`;
}
