import type { Access } from "@/lib/access/identity/access";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";

/** For other queries: the practice of the patient with this id, deleted or not; null where there is none. */
export function practiceOfPatient(patientId: Sql): Sql {
  return sql`(SELECT owned.practice_id FROM patient owned WHERE owned.id = ${patientId})`;
}

/** The organisation of this name, or null; the oldest where there are several. */
export async function findOrganisation(name: string): Promise<Row<"organisation", "id"> | null> {
  return db.first(sql`SELECT id FROM organisation WHERE name = ${name} ORDER BY id LIMIT 1`);
}

/** The practices of an organisation, in the order of their ids. */
export async function listPracticesOf(
  organisationId: number,
): Promise<Row<"practice", "id" | "name" | "insurance_versioning_enabled">[]> {
  return db.rows(sql`
    SELECT id, name, insurance_versioning_enabled FROM practice WHERE organisation_id = ${organisationId} ORDER BY id`);
}

/** The organisation that owns a practice. */
export async function organisationOf(read: Db, practiceId: number): Promise<number> {
  const row = await read.first<Row<"practice", "organisation_id">>(
    sql`SELECT organisation_id FROM practice WHERE id = ${practiceId}`,
  );
  if (!row) throw new NotFoundError("practice");
  return row.organisation_id;
}

/** For other queries: the name of an organization. */
export function organisationNameOf(organisationId: Sql): Sql {
  return sql`(SELECT named.name FROM organisation named WHERE named.id = ${organisationId})`;
}

/**
 * The time zone of a practice (IANA).
 *
 * @throws NotFoundError if the practice does not exist or the caller has no right to it
 */
export async function getPracticeTimezone(access: Access, practiceId: number): Promise<string> {
  const practice = access.practices.includes(practiceId)
    ? await db.first<Row<"practice", "timezone">>(sql`SELECT timezone FROM practice WHERE id = ${practiceId}`)
    : null;
  if (!practice) throw new NotFoundError("practice");
  return practice.timezone;
}
