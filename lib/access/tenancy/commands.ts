import type { Row } from "@/lib/platform/db/rows";
import { sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";

/** Creates an organisation, the owner of practices and API clients, and gives its id. */
export async function createOrganisation(name: string): Promise<number> {
  return transaction(async (tx) => {
    const { id } = await tx.one<Row<"organisation", "id">>(
      sql`INSERT INTO organisation (name) VALUES (${name}) RETURNING id`,
    );
    return id;
  });
}

/** Gives organisations other names, all of them in one step. */
export async function renameOrganisations(names: ReadonlyMap<number, string>): Promise<void> {
  await transaction(async (tx) => {
    for (const [id, name] of names) await tx.run(sql`UPDATE organisation SET name = ${name} WHERE id = ${id}`);
  });
}
