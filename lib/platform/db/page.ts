import { type Db, empty, raw, type Sql, sql } from "./sql";

/** A position in a list: after or before the entry with this sort value and ID. */
export interface Cursor {
  direction: "after" | "before";
  order: string;
  value: string;
  id: number;
}

/** A page of a list, by offset or cursor. `order` is a field, or `-field` for descending order. */
export interface PageRequest {
  limit: number;
  offset?: number | undefined;
  cursor?: Cursor | undefined;
  order: string;
}

/** The rows of a page. `count` is only set with an offset, because counting is expensive. */
export interface PageSlice<T> {
  rows: (T & { page_key: string })[];
  hasNext: boolean;
  hasPrevious: boolean;
  count?: number;
}

/**
 * Reads one page of a list. Without an offset it seeks by key, so the last page is as fast as the first.
 *
 * @param list.id a unique column that breaks ties
 * @param list.orderings sortable fields and their columns, which can't be NULL. `id` is always sortable
 */
export async function selectPage<T extends { id: number }>(
  db: Db,
  list: { columns: Sql; from: Sql; where: Sql; id: Sql; orderings?: Record<string, Sql>; page: PageRequest },
): Promise<PageSlice<T>> {
  const { page, id } = list;
  const descending = page.order.startsWith("-");
  const field = page.order.replace(/^-/, "");
  const column = field === "id" ? id : list.orderings?.[field];
  if (!column) throw new Error(`no ordering for ${field}`);

  const backwards = page.cursor?.direction === "before";
  const direction = raw(descending !== backwards ? "DESC" : "ASC");
  const seek = page.cursor ? seekPast(page.cursor, { column, id, descending: descending !== backwards }) : empty;
  const order = field === "id" ? sql`${id} ${direction}` : sql`${column} ${direction}, ${id} ${direction}`;
  const found = await db.rows<T & { page_key: string }>(sql`
    SELECT ${list.columns}, (${column})::text AS page_key FROM ${list.from}
    WHERE ${list.where} ${seek} ORDER BY ${order} LIMIT ${page.limit + 1} OFFSET ${page.offset ?? 0}`);

  const more = found.length > page.limit;
  const rows = found.slice(0, page.limit);
  if (backwards) rows.reverse();
  const slice = {
    rows,
    hasNext: backwards || more,
    hasPrevious: backwards ? more : page.cursor !== undefined,
  };
  if (page.offset === undefined) return slice;
  const { count } = await db.one<{ count: number }>(
    sql`SELECT count(*) AS count FROM ${list.from} WHERE ${list.where}`,
  );
  return { ...slice, count };
}

function seekPast(cursor: Cursor, by: { column: Sql; id: Sql; descending: boolean }): Sql {
  const compare = raw(by.descending ? "<" : ">");
  if (by.column === by.id) return sql`AND ${by.id} ${compare} ${cursor.id}`;
  return sql`AND (${by.column}, ${by.id}) ${compare} (${cursor.value}, ${cursor.id})`;
}
