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
  /** Whether the page comes with the number of rows of the list. The default is true with an offset. */
  isCounted?: boolean;
}

/** The rows of a page. `count` is the number of rows of the list, if it was requested. */
export interface PageSlice<T> {
  rows: (T & { page_key: string })[];
  hasNext: boolean;
  hasPrevious: boolean;
  count?: number;
}

/** What a list selects, in which order. */
interface List {
  columns: Sql;
  from: Sql;
  /** A cheaper statement that selects the number of rows as `count`. */
  countStatement?: Sql | undefined;
  where: Sql;
  /** A unique column that breaks ties. */
  id: Sql;
  /** Sortable fields and their columns, which can't be NULL. `id` is always sortable. */
  orderings?: Record<string, Sql>;
  page: PageRequest;
}

/** Reads one page of a list. Without an offset it seeks by key, so the last page is as fast as the first. */
export async function selectPage<T extends { id: number }>(db: Db, list: List): Promise<PageSlice<T>> {
  const { page, from, where, countStatement } = list;
  const slice = toSlice(await db.rows<T & { page_key: string }>(pageStatement(list, page.limit + 1)), page);
  return withCount(slice, page, () => countStatement ?? countOf(from, where), db);
}

/** Returns a statement that selects the number of rows as `count`. */
export const countOf = (from: Sql, where: Sql) => sql`SELECT count(*) AS count FROM ${from} WHERE ${where}`;

/**
 * Adds the number of rows of the list to a page, if it was requested. On the last page it follows from the rows, so no other
 * statement is needed (ADR 0221).
 *
 * @param countStatement returns a statement that selects `count`
 */
export async function withCount<T>(
  slice: PageSlice<T>,
  { offset, isCounted = offset !== undefined }: Pick<PageRequest, "offset" | "isCounted">,
  countStatement: () => Sql,
  db: Db,
): Promise<PageSlice<T>> {
  if (!isCounted) return slice;
  const skipped = offset ?? 0;
  const isLast = !slice.hasNext && (slice.rows.length > 0 || skipped === 0);
  if (isLast) return { ...slice, count: skipped + slice.rows.length };
  const { count } = await db.one<{ count: number }>(countStatement());
  return { ...slice, count };
}

const MAX_COUNTED = 10_000;

/** The number of rows of a list, up to 10,000. */
export interface RowCount {
  count: number;
  /** Whether the list has more rows than `count`. */
  has_more: boolean;
}

/** Counts the rows of a list. Stops at 10,000, because counting a growing table takes ever longer. */
export async function countRows(db: Db, { from, where }: Pick<List, "from" | "where">): Promise<RowCount> {
  const { count } = await db.one<{ count: number }>(
    sql`SELECT count(*) AS count FROM (SELECT FROM ${from} WHERE ${where} LIMIT ${MAX_COUNTED + 1}) counted`,
  );
  return { count: Math.min(count, MAX_COUNTED), has_more: count > MAX_COUNTED };
}

/**
 * Returns the statement that reads a page.
 *
 * @param rows one more than the page has, to find out whether there are more
 */
export function pageStatement({ columns, from, where, id, orderings, page }: List, rows: number): Sql {
  const descending = page.order.startsWith("-");
  const field = page.order.replace(/^-/, "");
  const column = field === "id" ? id : orderings?.[field];
  if (!column) throw new Error(`no ordering for ${field}`);

  const isDescending = descending !== isBackwards(page);
  const direction = raw(isDescending ? "DESC" : "ASC");
  const seek = page.cursor ? seekPast(page.cursor, { column, id, descending: isDescending }) : empty;
  const order = field === "id" ? sql`${id} ${direction}` : sql`${column} ${direction}, ${id} ${direction}`;
  return sql`
    SELECT ${columns}, (${column})::text AS page_key FROM ${from}
    WHERE ${where} ${seek} ORDER BY ${order} LIMIT ${rows} OFFSET ${page.offset ?? 0}`;
}

/** Returns the page of the rows that `pageStatement` found, without its count. */
export function toSlice<T extends { page_key: string }>(
  found: readonly T[],
  page: PageRequest,
): { rows: T[]; hasNext: boolean; hasPrevious: boolean } {
  const more = found.length > page.limit;
  const rows = found.slice(0, page.limit);
  if (isBackwards(page)) rows.reverse();
  return {
    rows,
    hasNext: isBackwards(page) || more,
    hasPrevious: isBackwards(page) ? more : page.cursor !== undefined,
  };
}

const isBackwards = ({ cursor }: PageRequest) => cursor?.direction === "before";

function seekPast(cursor: Cursor, by: { column: Sql; id: Sql; descending: boolean }): Sql {
  const compare = raw(by.descending ? "<" : ">");
  if (by.column === by.id) return sql`AND ${by.id} ${compare} ${cursor.id}`;
  return sql`AND (${by.column}, ${by.id}) ${compare} (${cursor.value}, ${cursor.id})`;
}
