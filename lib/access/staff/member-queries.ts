import type { Access } from "@/lib/access/identity/access";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import type { Member } from "./schema";

/** For other domains' queries: whether the signed-in user belongs to a practice, in this one's page or not. */
export function isOwnPractice(access: Access, practiceId: Sql): Sql {
  return sql`EXISTS (SELECT FROM staff_user_practice own
    WHERE own.user_id = ${staffIdOf(access)} AND own.practice_id = ${practiceId})`;
}

/** The practices the signed-in user belongs to, in the order of their ids. */
export async function listOwnPractices(access: Access, read: Db = db): Promise<number[]> {
  const rows = await read.rows<Row<"staff_user_practice", "practice_id">>(sql`
    SELECT practice_id FROM staff_user_practice WHERE user_id = ${staffIdOf(access)} ORDER BY practice_id`);
  return rows.map(({ practice_id }) => practice_id);
}

/** The members of the caller's practices, disabled ones last. */
export async function listMembers(access: Access): Promise<Member[]> {
  return db.rows<Member>(sql`${membersOf(access)} ORDER BY u.disabled_date IS NOT NULL, lower(u.name), u.id`);
}

/** @throws NotFoundError where nobody of this id is a member of the caller's practices */
export async function getMember(access: Access, userId: number, read: Db = db): Promise<Member> {
  const member = await read.first<Member>(sql`${membersOf(access)} AND u.id = ${userId}`);
  if (!member) throw new NotFoundError("member");
  return member;
}

/** For other domains' queries: the name of a member of the staff. */
export function staffNameOf(userId: Sql): Sql {
  return sql`(SELECT named.name FROM staff_user named WHERE named.id = ${userId})`;
}

/** Who of the staff can see to something in the caller's practices: names and ids, and nothing else of them. */
export async function listColleagues(access: Access): Promise<Row<"staff_user", "id" | "name">[]> {
  return db.rows(sql`
    SELECT u.id, u.name FROM staff_user u
    WHERE u.disabled_date IS NULL AND EXISTS (SELECT FROM staff_user_practice here
      WHERE here.user_id = u.id AND ${inList(sql`here.practice_id`, access.practices)})
    ORDER BY lower(u.name), u.id`);
}

function membersOf(access: Access): Sql {
  const own = isOwnPractice(access, sql`m.practice_id`);
  return sql`
    SELECT u.id, u.email, u.name, u.role, u.role = 'admin' OR u.can_export AS can_export, u.created_date, u.disabled_date, u.version,
      (SELECT coalesce(json_agg(m.practice_id ORDER BY m.practice_id) FILTER (WHERE ${own}), '[]')
       FROM staff_user_practice m WHERE m.user_id = u.id) AS practices,
      EXISTS (SELECT FROM staff_user_practice m WHERE m.user_id = u.id AND NOT ${own}) AS elsewhere,
      (SELECT max(s.seen_date) FROM staff_session s WHERE s.user_id = u.id) AS seen_date
    FROM staff_user u
    WHERE EXISTS (SELECT FROM staff_user_practice here
      WHERE here.user_id = u.id AND ${inList(sql`here.practice_id`, access.practices)})`;
}

/** Those of these practices that no enabled admin belongs to. */
export async function listPracticesWithoutAdmin(read: Db, practices: readonly number[]): Promise<number[]> {
  const rows = await read.rows<Row<"practice", "id">>(sql`
    SELECT p.id FROM unnest(${[...practices]}::bigint[]) AS p(id)
    WHERE NOT EXISTS (SELECT FROM staff_user_practice m JOIN staff_user u ON u.id = m.user_id
      WHERE m.practice_id = p.id AND u.role = 'admin' AND u.disabled_date IS NULL) ORDER BY p.id`);
  return rows.map(({ id }) => id);
}

/** Only staff have practices of their own here. */
function staffIdOf({ actor }: Access): number {
  if (actor.type !== "staff" || actor.id === null) throw new Error("only a signed-in user manages members and clients");
  return actor.id;
}
