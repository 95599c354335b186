import { keysOf, pick } from "@/lib/platform/objects";
import { raw, type Sql, sql } from "./sql";

/**
 * `INSERT INTO` a table of rows that are bound as one value of JSON. The statement's text is the same for one row and for a
 * thousand: PostgreSQL parses and plans it once, where a list of values is planned anew for every other count.
 *
 * @param table one of ours
 * @param rows at least one; by column, arrays and objects as they are, times and dates in ISO 8601
 * @param columns those to write, where the rows hold more than that; what a row lacks is NULL, not its default
 */
export function insertInto<R extends object>(
  table: string,
  rows: readonly R[],
  columns: readonly (keyof R & string)[] = rows[0] ? keysOf(rows[0]) : [],
): Sql {
  const picked = rows.map((row) => pick(row, columns));
  const names = raw(columns.join(", "));
  return sql`INSERT INTO ${raw(table)} (${names}) SELECT ${names}
    FROM json_populate_recordset(NULL::${raw(table)}, ${JSON.stringify(picked)}::json)`;
}
