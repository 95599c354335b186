import type { Row } from "@/lib/platform/db/rows";
import { sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";

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
