import { createHash } from "node:crypto";
import { z } from "zod";
import type { Cursor, PageRequest, PageSlice } from "@/lib/platform/db/page";
import { ValidationError } from "@/lib/platform/errors";
import { seal, unseal } from "@/lib/platform/sealing";
import { canonicalPath } from "./request";

/** Returns the query parameters of a list: `limit` with `cursor` or `offset`, and `order_by`. */
export function pageQuery<const F extends string>(orderable: readonly F[] = []) {
  return {
    limit: integerParam.pipe(z.number().min(1).max(100)).default(25).describe("Maximum entries per page."),
    offset: integerParam
      .pipe(z.number().min(0).max(1_000_000_000))
      .optional()
      .describe("Entries to skip. Large offsets are slower than cursors."),
    cursor: z.string().max(2000).optional().describe("Where to continue, as in `next` or `previous` of a response."),
    order_by: orderParam(orderable)
      .default("id")
      .describe("Field to sort by. A leading `-` sorts in descending order."),
  };
}

/** Returns the `order_by` of a list: `id` or one of these fields, descending with a leading `-`. */
export function orderParam(orderable: readonly string[]) {
  const allowed = ["id", ...orderable].flatMap((field) => [field, `-${field}`] as const);
  return z
    .string()
    .refine((order) => allowed.includes(order), { error: `Must be one of ${allowed.join(", ")}.` })
    .meta({ enum: allowed });
}

/** An integer in a query string. */
export const integerParam = z
  .string()
  .regex(/^-?\d+$/, { error: "Must be an integer.", abort: true })
  .refine((digits) => Number.isSafeInteger(Number(digits)), { error: "Is too large." })
  .transform(Number)
  .meta({ type: "integer" });

interface ParsedPageQuery {
  limit: number;
  offset?: number | undefined;
  cursor?: string | undefined;
  order_by: string;
}

/** A page of the list of a request. */
interface ListPage extends PageRequest {
  /** Its path. A cursor works only for the same list. */
  list: string;
  /** A hash of its filters, or an empty string. */
  filters: string;
}

/** A cursor with the hash of the filters. Servers of earlier versions leave it out, and ignore it. */
interface ListCursor extends Cursor {
  filters?: string;
}

/**
 * Converts a parsed query of the list at `url`. Without `order_by`, a cursor keeps its order.
 *
 * @throws ValidationError if the cursor is not of this list with these filters and this order, or comes with an offset
 */
export function toPageRequest(query: ParsedPageQuery, url: URL): ListPage {
  const { limit, offset, cursor: sent, order_by: order, ...filtered } = query;
  // Only parameters that the list has: clients may add others, such as a time against caches.
  const list = { list: canonicalPath(url), filters: hashFilters(JSON.stringify(filtered)) };
  if (sent === undefined)
    return offset === undefined ? { limit, order, isCounted: true, ...list } : { limit, offset, order, ...list };
  if (offset !== undefined) throw new ValidationError({ cursor: ["Can't be combined with offset."] });
  const cursor = decodeCursor(sent, list);
  if (order !== cursor.order && url.searchParams.has("order_by")) {
    throw new ValidationError({ order_by: ["Differs from the order of the cursor. Start again from the first page."] });
  }
  return { limit, cursor, order: cursor.order, ...list };
}

function hashFilters(filters: string): string {
  return filters === "{}" ? "" : createHash("sha256").update(filters).digest("base64url").slice(0, 16);
}

/** Builds the response of a list: `count`, `next`, `previous` and `results`. Pages by cursor have no count. */
export function toPage<T extends { id: number }, R>(
  url: URL,
  page: ListPage,
  slice: PageSlice<T>,
  toDto: (row: T) => R,
) {
  const results = slice.rows.map(toDto);
  const link = (name: "offset" | "cursor", value: string) => {
    const target = new URL(url);
    target.searchParams.set("limit", String(page.limit));
    target.searchParams.set(name, value);
    return target.href;
  };
  if (page.offset !== undefined) {
    const { offset, limit } = page;
    return {
      count: slice.count,
      // A page of large records may have fewer entries than the limit.
      next: slice.hasNext ? link("offset", String(offset + results.length)) : null,
      previous: offset > 0 ? link("offset", String(Math.max(0, offset - limit))) : null,
      results,
    };
  }
  const at = (direction: Cursor["direction"], row: (T & { page_key: string }) | undefined) =>
    row ? link("cursor", encodeCursor({ direction, order: page.order, value: row.page_key, id: row.id }, page)) : null;
  return {
    count: slice.count,
    next: slice.hasNext ? at("after", slice.rows.at(-1)) : null,
    previous: slice.hasPrevious ? at("before", slice.rows[0]) : null,
    results,
  };
}

/** Builds the same response as text, from entries that are already JSON. */
export function toPageText<T extends { id: number; json: string }>(
  url: URL,
  page: ListPage,
  slice: PageSlice<T>,
): string {
  const { results, ...rest } = toPage(url, page, slice, ({ json }) => json);
  return `${JSON.stringify(rest).slice(0, -1)},"results":[${results.join()}]}`;
}

/** Returns the schema of a list's response. */
export function pageSchema<T extends z.ZodType>(entry: T) {
  const page = z.object({
    count: z.int().min(0).optional().describe("The number of entries in the list. Pages by `cursor` do not have it."),
    next: z.url().nullable(),
    previous: z.url().nullable(),
    results: z.array(entry),
  });
  const title = entry.meta()?.title;
  return title === undefined ? page : page.meta({ title: `${title}Page` });
}

/**
 * Encrypts a cursor, because it holds values of the sort field, such as last names, and URLs end up in histories and logs. It opens only
 * for the same list, so its content can be trusted.
 */
function encodeCursor(cursor: Cursor, { list, filters }: Pick<ListPage, "list" | "filters">): string {
  return seal("cursor", JSON.stringify({ ...cursor, filters } satisfies ListCursor), list);
}

function decodeCursor(text: string, { list, filters }: Pick<ListPage, "list" | "filters">): Cursor {
  const payload = unseal("cursor", text, list);
  const cursor = payload === null ? null : (JSON.parse(payload) as ListCursor);
  if (cursor === null || (cursor.filters ?? filters) !== filters) {
    const message = "Not a cursor of this list with these filters. Start again from the first page.";
    throw new ValidationError({ cursor: [message] });
  }
  return cursor;
}
