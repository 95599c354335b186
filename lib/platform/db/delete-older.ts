import type { Table, Tables } from "./rows";
import { db, raw, type Sql, sql, unprepared } from "./sql";

/** Small enough that a statement takes milliseconds. */
const ROWS_AT_ONCE = 1_000;

/**
 * Deletes the rows of a table whose column is below a limit, the oldest first, in transactions of up to 1,000 rows. Skips rows that a
 * request has locked, so it waits for none; the next call deletes them. The column needs an index.
 *
 * @param also another condition for deletion
 * @returns the number of deleted rows
 */
export async function deleteOlder<T extends Table>(
  table: T,
  column: keyof Tables[T] & string,
  limit: string | number,
  also: Sql = sql`TRUE`,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const count = await db.run(sql`${unprepared}
      DELETE FROM ${raw(table)} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${raw(table)} WHERE ${raw(column)} < ${limit} AND ${also}
        ORDER BY ${raw(column)} LIMIT ${ROWS_AT_ONCE} FOR UPDATE SKIP LOCKED))`);
    deleted += count;
    if (count < ROWS_AT_ONCE) return deleted;
  }
}
