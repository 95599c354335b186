import { type Db, inList, sql } from "@/lib/platform/db/sql";

/** Locks these patients for the rest of the transaction, in the order of their IDs. Returns those that exist. */
export async function lockPatients(tx: Db, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx.rows<{ id: number }>(
    sql`SELECT id FROM patient WHERE ${inList(sql`id`, ids)} ORDER BY id FOR UPDATE`,
  );
  return new Set(rows.map(({ id }) => id));
}
