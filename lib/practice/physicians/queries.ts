import type { Access } from "@/lib/access/identity/access";
import { staffUserWithEmail } from "@/lib/access/staff/member-queries";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import { type PageRequest, type PageSlice, selectPage } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, join, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { type AvailabilityRow, PHYSICIAN_COLUMNS, type PhysicianRow } from "./schema";

/** Returns whether a physician works in a practice. */
export async function practiceHasPhysician(read: Db, practiceId: number, physicianId: number): Promise<boolean> {
  const found = await read.first(
    kysely.selectFrom("physician").select("id").where("id", "=", physicianId).where("practice_id", "=", practiceId),
  );
  return found !== null;
}

/** Returns the IDs that belong to no physician of the practice. */
export async function findAbsentPhysicians(
  read: Db,
  { practiceId, ids }: { practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const rows = await read.rows(
    kysely.selectFrom("physician").select("id").where("practice_id", "=", practiceId).where("id", "=", anyOf(ids)),
  );
  const found = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !found.has(id));
}

/** Returns the user IDs that belong to no physician of the practice. */
export async function findAbsentPhysicianUsers(
  read: Db,
  { practiceId, ids }: { practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const rows = await read.rows(
    kysely
      .selectFrom("physician")
      .select("user_id")
      .where("practice_id", "=", practiceId)
      .where("user_id", "=", anyOf(ids)),
  );
  const found = new Set(rows.map(({ user_id }) => user_id));
  return ids.filter((id) => !found.has(id));
}

const STORED = raw(
  PHYSICIAN_COLUMNS.filter((column) => column !== "user_id")
    .map((column) => `d.${column}`)
    .join(", "),
);
/** The columns of a physician `d`. Unless another user is stored, the user is the staff account with the physician's email address. */
const PHYSICIAN = sql`${STORED},
  coalesce(d.user_id, ${staffUserWithEmail(sql`d.email`, sql`d.practice_id`)}) AS user_id`;

/** Returns an SQL expression that selects the IDs of a practice's physicians as a JSON array. */
export function selectPhysicianIds(practiceId: Sql): Sql {
  return sql`(SELECT coalesce(json_agg(d.id ORDER BY d.id), '[]') FROM physician d WHERE d.practice_id = ${practiceId})`;
}

/** The contract's filters of the physicians list. */
export interface PhysicianFilter {
  first_name?: string | undefined;
  last_name?: string | undefined;
  npi?: string | undefined;
}

/** Fields the physicians list can be ordered by. */
export const PHYSICIAN_ORDERS = {
  last_name: sql`lower(d.last_name)`,
  first_name: sql`lower(d.first_name)`,
  npi: sql`d.npi`,
};

/** Returns a page of the physicians the caller may see. Name filters match the whole name, ignoring case. */
export async function listPhysicians(
  access: Access,
  filter: PhysicianFilter,
  page: PageRequest,
): Promise<PageSlice<PhysicianRow>> {
  const where = [inList(sql`d.practice_id`, access.practices)];
  if (filter.first_name !== undefined) where.push(sql`lower(d.first_name) = lower(${filter.first_name})`);
  if (filter.last_name !== undefined) where.push(sql`lower(d.last_name) = lower(${filter.last_name})`);
  if (filter.npi !== undefined) where.push(sql`d.npi = ${filter.npi}`);
  return selectPage<PhysicianRow>(db, {
    columns: PHYSICIAN,
    from: sql`physician d`,
    where: join(where, " AND "),
    id: sql`d.id`,
    orderings: PHYSICIAN_ORDERS,
    page,
  });
}

/** @throws NotFoundError if the physician does not exist or belongs to another practice */
export async function getPhysician(access: Access, physicianId: number, read: Db = db): Promise<PhysicianRow> {
  const physician = await read.first<PhysicianRow>(sql`
    SELECT ${PHYSICIAN} FROM physician d WHERE d.id = ${physicianId} AND ${inList(sql`d.practice_id`, access.practices)}`);
  if (!physician) throw new NotFoundError("physician");
  return physician;
}

/** Returns the physicians with these IDs that the caller may see, in no particular order. */
export async function findPhysicians(access: Access, ids: readonly number[]): Promise<PhysicianRow[]> {
  if (ids.length === 0) return [];
  return db.rows<PhysicianRow>(sql`
    SELECT ${PHYSICIAN} FROM physician d
    WHERE ${inList(sql`d.id`, ids)} AND ${inList(sql`d.practice_id`, access.practices)}`);
}

/** Lists a physician's availability through the week. Returns an empty list if the caller can't see the physician. */
export async function listAvailabilities(
  access: Access,
  physicianId: number,
  read: Db = db,
): Promise<AvailabilityRow[]> {
  return read.rows(
    kysely
      .selectFrom("provider_availability as a")
      .innerJoin("physician as d", "d.id", "a.physician_id")
      .selectAll("a")
      .where("a.physician_id", "=", physicianId)
      .where("d.practice_id", "=", anyOf(access.practices))
      .orderBy("a.weekday")
      .orderBy("a.start_time")
      .orderBy("a.end_time")
      .orderBy("a.id"),
  );
}

/** Lists the physicians of a practice with their IDs in the system they were imported from, active ones first. */
export async function listPhysiciansForImport(
  read: Db,
  practiceId: number,
): Promise<Row<"physician", "id" | "external_id">[]> {
  return read.rows(
    kysely
      .selectFrom("physician")
      .select(["id", "external_id"])
      .where("practice_id", "=", practiceId)
      .orderBy("is_active", "desc")
      .orderBy("id"),
  );
}
