import { keysOf, pick } from "@/lib/platform/objects";
import { raw, type Sql, sql } from "./sql";

/**
 * Builds an `INSERT INTO` that binds all rows as one JSON value. The statement is the same for any number of rows, so PostgreSQL plans it
 * once.
 *
 * @param rows at least one, by column, with times and dates in ISO 8601
 * @param columns the columns to write. A row without a value writes NULL, not the default
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
