import type { Access } from "@/lib/access/identity/access";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, type Sql, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { NotFoundError } from "@/lib/platform/errors";

/** Creates an organization, which owns practices and API clients, and returns its ID. */
export async function createOrganization(name: string, write: Db = db): Promise<number> {
  const { id } = await write.one(kysely.insertInto("organization").values({ name }).returning("id"));
  return id;
}

/** Renames organizations, in one transaction. */
export async function renameOrganizations(names: ReadonlyMap<number, string>): Promise<void> {
  await transaction(async (tx) => {
    for (const [id, name] of names) await tx.run(kysely.updateTable("organization").set({ name }).where("id", "=", id));
  });
}

/** Finds the organization with this name, or the oldest of several. */
export async function findOrganization(name: string, read: Db = db): Promise<Row<"organization", "id"> | null> {
  return read.first(kysely.selectFrom("organization").select("id").where("name", "=", name).orderBy("id").limit(1));
}

/**
 * Returns the ID of the organization that owns a practice.
 *
 * @throws NotFoundError
 */
export async function getOrganizationId(read: Db, practiceId: number): Promise<number> {
  const row = await read.first(kysely.selectFrom("practice").select("organization_id").where("id", "=", practiceId));
  if (!row) throw new NotFoundError("practice");
  return row.organization_id;
}

/** Returns a subquery for the name of an organization. */
export function organizationNameOf(organizationId: Sql): Sql {
  return sql`(SELECT named.name FROM organization named WHERE named.id = ${organizationId})`;
}

/** Lists the practices of an organization by ID. */
export async function listPracticesOf(
  organizationId: number,
): Promise<Row<"practice", "id" | "name" | "insurance_versioning_enabled">[]> {
  return db.rows(
    kysely
      .selectFrom("practice")
      .select(["id", "name", "insurance_versioning_enabled"])
      .where("organization_id", "=", organizationId)
      .orderBy("id"),
  );
}

/**
 * Returns the time zone of a practice (IANA).
 *
 * @throws NotFoundError if the practice does not exist or the caller has no access to it
 */
export async function getPracticeTimezone(access: Access, practiceId: number): Promise<string> {
  const practice = access.practices.includes(practiceId)
    ? await db.first(kysely.selectFrom("practice").select("timezone").where("id", "=", practiceId))
    : null;
  if (!practice) throw new NotFoundError("practice");
  return practice.timezone;
}

/** Returns a subquery for the practice of a patient, deleted or not. It is null if there is no such patient. */
export function practiceOfPatient(patientId: Sql): Sql {
  return sql`(SELECT owned.practice_id FROM patient owned WHERE owned.id = ${patientId})`;
}

/**
 * Returns a subquery for patients, deleted or not, with their practice: `patient`, `practice_id`.
 *
 * @param match compares the ID of a patient, such as `= ANY (ids)`
 */
export function practicesOfPatients(match: Sql): Sql {
  return sql`(SELECT owned.id AS patient, owned.practice_id FROM patient owned WHERE owned.id ${match})`;
}
