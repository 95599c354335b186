import type { Access } from "@/lib/access/identity/access";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, type Sql, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { NotFoundError } from "@/lib/platform/errors";

/** Creates an organization, the owner of practices and API clients, and gives its id. */
export async function createOrganization(name: string): Promise<number> {
  return transaction(async (tx) => {
    const { id } = await tx.one<Row<"organization", "id">>(
      sql`INSERT INTO organization (name) VALUES (${name}) RETURNING id`,
    );
    return id;
  });
}

/** Gives organizations other names, all of them in one step. */
export async function renameOrganizations(names: ReadonlyMap<number, string>): Promise<void> {
  await transaction(async (tx) => {
    for (const [id, name] of names) await tx.run(sql`UPDATE organization SET name = ${name} WHERE id = ${id}`);
  });
}

/** The organization of this name, or null; the oldest where there are several. */
export async function findOrganization(name: string): Promise<Row<"organization", "id"> | null> {
  return db.first(sql`SELECT id FROM organization WHERE name = ${name} ORDER BY id LIMIT 1`);
}

/** The organization that owns a practice. */
export async function organizationOf(read: Db, practiceId: number): Promise<number> {
  const row = await read.first<Row<"practice", "organization_id">>(
    sql`SELECT organization_id FROM practice WHERE id = ${practiceId}`,
  );
  if (!row) throw new NotFoundError("practice");
  return row.organization_id;
}

/** For other queries: the name of an organization. */
export function organizationNameOf(organizationId: Sql): Sql {
  return sql`(SELECT named.name FROM organization named WHERE named.id = ${organizationId})`;
}

/** The practices of an organization, in the order of their ids. */
export async function listPracticesOf(
  organizationId: number,
): Promise<Row<"practice", "id" | "name" | "insurance_versioning_enabled">[]> {
  return db.rows(sql`
    SELECT id, name, insurance_versioning_enabled FROM practice WHERE organization_id = ${organizationId} ORDER BY id`);
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

/** For other queries: the practice of the patient with this id, deleted or not; null where there is none. */
export function practiceOfPatient(patientId: Sql): Sql {
  return sql`(SELECT owned.practice_id FROM patient owned WHERE owned.id = ${patientId})`;
}
