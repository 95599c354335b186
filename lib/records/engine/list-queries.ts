import type { Access } from "@/lib/access/identity/access";
import { among, type PageRequest, type PageSlice } from "@/lib/platform/db/page";
import { db, empty, join, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { COLUMNS, NO_PRACTICE, SIZE } from "./queries";
import { type Filter, fieldColumn, listFilters, searchWords, toKey } from "./rules";
import type { RecordRow, Resource } from "./schema";

type Asked = Readonly<Record<string, unknown>>;

/** A page ends before the record with which its data would have more bytes than `mostBytes`; it has one record at least. */
type SizedPageRequest = PageRequest & { mostBytes?: number };

/** To read, show and write more data at once would hold up every other request. A hundred records people wrote have far less. */
const MOST_PAGE_BYTES = 16 * 1024 * 1024;

interface FoundRow extends RecordRow {
  page_key: string;
  is_followed: boolean;
}

/**
 * A page of a resource's records the caller may see. Each way through the list is served by an index: the records of a
 * practice by id, those of a patient by id, and the keys of a field by value; where the caller has several practices (or
 * several values are asked for), the beginnings of their lists are merged.
 */
export async function listRecords(
  access: Access,
  resource: Resource,
  asked: Asked,
  page: SizedPageRequest,
): Promise<PageSlice<RecordRow>> {
  const list = listOf(resource, asked);
  const practices = practicesOf(access, list);
  const found = await db.rows<FoundRow>(await pageStatement(access, resource, asked, page));
  const backwards = page.cursor?.direction === "before";
  const rows = found.slice(0, page.limit);
  const more = rows.at(-1)?.is_followed ?? false;
  if (backwards) rows.reverse();
  const slice = { rows, hasNext: backwards || more, hasPrevious: backwards ? more : page.cursor !== undefined };
  if (page.offset === undefined) return slice;
  const counted = await db.first<{ count: number }>(sql`
    SELECT count(*) AS count FROM resource_record r WHERE r.resource = ${resource.name}
      AND (${join([...waysInto(list, practices), sql`FALSE`], " OR ")}) AND ${conditionsOf(list)}`);
  return { ...slice, count: counted?.count ?? 0 };
}

/** What a page of a list asks the database. */
export async function pageStatement(
  access: Access,
  resource: Resource,
  asked: Asked,
  page: SizedPageRequest,
): Promise<Sql> {
  const list = listOf(resource, asked);
  const practices = practicesOf(access, list);
  const range = rangeOf(list);
  const isNarrow = range !== null && patientsOf(list) === null && (await isWithin(list, practices, range));
  return pageOf(list, practices, { ...page, driving: isNarrow ? range : oneKeyOf(list) });
}

/** Filters that lead to the records by their keys, instead of being asked of each record in turn. */
interface Driving {
  filters: readonly Filter[];
  field: string;
  compare: Sql;
  /** Whether their keys come in the order of ids. */
  isInOrder: boolean;
}

/** A filter by one value: its keys are in the order of ids. */
function oneKeyOf(list: List): Driving | null {
  const filter = patientsOf(list) === null ? list.filters.find((one) => hasOneKey(list, one)) : undefined;
  if (!filter) return null;
  const value = toKey([list.asked[filter.parameter]].flat()[0]);
  return { filters: [filter], field: filter.field, compare: sql`f.value = ${value}`, isInOrder: true };
}

/** The bounds of one field. */
function rangeOf(list: List): Driving | null {
  const [range] = rangesOf(list);
  return range ? { ...range, isInOrder: false } : null;
}

/** The bounds of each bounded field. At least one of its values must be within all of them. */
function rangesOf({ resource, filters, asked }: List): Omit<Driving, "isInOrder">[] {
  const bounds = filters.filter((filter) => isBound(resource, filter));
  return [...new Set(bounds.map(({ field }) => field))].map((field) => {
    const own = bounds.filter((filter) => filter.field === field);
    const compares = own.map((filter) => compareKey(filter, asked[filter.parameter]));
    return { filters: own, field, compare: join(compares, " AND ") };
  });
}

const isBound = (resource: Resource, { bound, field }: Filter) =>
  (bound in COMPARISON || bound in SPAN_COMPARISON) && fieldColumn(resource, field) !== "deleted_date";

/** So many keys are sorted in less time than a page may take. */
const NARROW = 10_000;

/** Whether few enough records lie within bounds to be sorted: else the list is walked until a page is full. */
async function isWithin(
  { resource }: List,
  practices: readonly (number | null)[],
  { field, compare }: Driving,
): Promise<boolean> {
  const counts = practices.map(
    (practice) => sql`(SELECT FROM resource_key f WHERE f.resource = ${resource.name} AND f.field = ${field}
      AND f.practice_id = ${practice ?? NO_PRACTICE} AND ${compare} LIMIT ${NARROW + 1})`,
  );
  if (counts.length === 0) return false;
  const found = await db.first<{ count: number }>(
    sql`SELECT count(*) AS count FROM (${join(counts, " UNION ALL ")}) AS within`,
  );
  return (found?.count ?? 0) <= NARROW;
}

function listOf(resource: Resource, asked: Asked): List {
  const filters = listFilters(resource).filter(({ parameter }) => asked[parameter] !== undefined);
  return { resource, filters, asked };
}

interface List {
  resource: Resource;
  filters: readonly Filter[];
  asked: Asked;
}

/** The practices whose records are asked for; null among them stands for everybody's. */
function practicesOf(access: Access, { resource, filters, asked }: List): (number | null)[] {
  const filter = filters.find(({ field }) => fieldColumn(resource, field) === "practice_id");
  const wanted = filter && new Set([asked[filter.parameter]].flat());
  const own = resource.owner === "everyone" ? [] : access.practices.filter((id) => wanted?.has(id) ?? true);
  return resource.owner === "everyone" || (resource.shared && !wanted) ? [...own, null] : own;
}

const isPractice = (practice: number | null): Sql =>
  practice === null ? sql`r.practice_id IS NULL` : sql`r.practice_id = ${practice}`;

function pageOf(
  list: List,
  practices: readonly (number | null)[],
  page: SizedPageRequest & { driving: Driving | null },
): Sql {
  const descending = page.order.startsWith("-") !== (page.cursor?.direction === "before");
  const field = page.order.replace(/^-/, "");
  const direction = raw(descending ? "DESC" : "ASC");
  const most = page.limit + 1 + (page.offset ?? 0);
  const branches =
    field === "id"
      ? branchesById(list, practices, { page, descending, driving: page.driving })
      : [branchByKey(list, practices, { page, descending, field })].flat();
  if (branches.length === 0)
    return sql`SELECT ${COLUMNS}, '' AS page_key, FALSE AS is_followed FROM resource_record r WHERE FALSE`;
  const ways = branches.map((branch) => sql`(${branch} LIMIT ${most})`);
  return sql`
    SELECT ${COLUMNS}, page_key, is_followed FROM (
      SELECT ${COLUMNS}, found.key AS page_key, row_number() OVER page AS place, sum(${SIZE}) OVER page AS bytes,
        lead(r.id) OVER page IS NOT NULL AS is_followed
      FROM (SELECT id, key FROM (${join(ways, " UNION ALL ")}) AS ways
        ORDER BY key COLLATE "C" ${direction}, id ${direction} LIMIT ${page.limit + 1} OFFSET ${page.offset ?? 0}) AS found
      JOIN resource_record r ON r.id = found.id
      WINDOW page AS (ORDER BY found.key COLLATE "C" ${direction}, r.id ${direction})) AS r
    WHERE place = 1 OR bytes <= ${page.mostBytes ?? MOST_PAGE_BYTES} ORDER BY place`;
}

interface Walk {
  page: PageRequest;
  descending: boolean;
}

/** In the order of ids: along a patient's or a practice's records, or along the records that hold a value asked for. */
function branchesById(
  list: List,
  practices: readonly (number | null)[],
  { page, descending, driving }: Walk & { driving: Driving | null },
): Sql[] {
  const { resource, filters } = list;
  const direction = raw(descending ? "DESC" : "ASC");
  const past = (id: Sql) => (page.cursor ? sql`AND ${id} ${raw(descending ? "<" : ">")} ${page.cursor.id}` : empty);
  if (driving) {
    const rest = conditionsOf({ ...list, filters: filters.filter((filter) => !driving.filters.includes(filter)) });
    return practices.map((practice) => {
      // A field may have several keys within the bounds.
      const once = driving.isInOrder ? empty : sql`DISTINCT`;
      const keys = sql`SELECT ${once} f.record_id FROM resource_key f
        WHERE f.resource = ${resource.name} AND f.field = ${driving.field} AND f.practice_id = ${practice ?? NO_PRACTICE}
          AND ${driving.compare} ${past(sql`f.record_id`)}`;
      // Keys within bounds are in another order than ids: left to itself, the planner walks all ids to find them in order.
      const fence = driving.isInOrder ? empty : sql`OFFSET 0`;
      return sql`
        SELECT f.record_id AS id, '' AS key FROM (${keys} ${fence}) AS f
        CROSS JOIN ${recordOf(sql`f.record_id`, sql`${isPractice(practice)} AND ${rest}`)} ORDER BY f.record_id ${direction}`;
    });
  }
  return waysInto(list, practices).map(
    (way) => sql`
      SELECT r.id, '' AS key FROM resource_record r
      WHERE r.resource = ${resource.name} AND ${way} AND ${conditionsOf(list)} ${past(sql`r.id`)} ORDER BY r.id ${direction}`,
  );
}

/** The record of each key, looked up one by one: a page needs few, and a merge would read all there are. */
function recordOf(id: Sql, conditions: Sql): Sql {
  return sql`LATERAL (SELECT r.id FROM resource_record r WHERE r.id = ${id} AND ${conditions} OFFSET 0) AS r`;
}

/** In the order of a field's values: along its keys, practice by practice. */
function branchByKey(
  list: List,
  practices: readonly (number | null)[],
  { page, descending, field }: Walk & { field: string },
): Sql[] {
  const { resource } = list;
  const direction = raw(descending ? "DESC" : "ASC");
  const seek = page.cursor
    ? sql`AND (k.value, k.record_id) ${raw(descending ? "<" : ">")} (${page.cursor.value}, ${page.cursor.id})`
    : empty;
  const patients = patientsOf(list);
  return practices.map((practice) => {
    const conditions = sql`${isPractice(practice)} AND ${conditionsOf(list)}`;
    // Of a patient there are few records: the planner begins with them.
    const record = patients
      ? sql`JOIN resource_record r ON r.id = k.record_id AND ${among(sql`r.patient_id`, patients)} AND ${conditions}`
      : sql`CROSS JOIN ${recordOf(sql`k.record_id`, conditions)}`;
    return sql`
      SELECT r.id, k.value AS key FROM resource_key k ${record}
      WHERE k.resource = ${resource.name} AND k.field = ${field} AND k.practice_id = ${practice ?? NO_PRACTICE} ${seek}
      ORDER BY k.value ${direction}, k.record_id ${direction}`;
  });
}

/** The patients asked for; null where none are. */
function patientsOf({ resource, filters, asked }: List): number[] | null {
  const filter = filters.find(({ field }) => fieldColumn(resource, field) === "patient_id");
  return filter ? ([asked[filter.parameter]].flat() as number[]) : null;
}

function hasOneKey({ resource, asked }: List, { bound, field, parameter }: Filter): boolean {
  return bound === "eq" && fieldColumn(resource, field) === undefined && [asked[parameter]].flat().length === 1;
}

/** The lists to merge: of each patient asked for, or else of each practice. */
function waysInto(list: List, practices: readonly (number | null)[]): Sql[] {
  if (practices.length === 0) return [];
  const patients = patientsOf(list);
  if (patients === null) return practices.map(isPractice);
  const own = practices.filter((practice) => practice !== null);
  return patients.map((patient) => sql`r.patient_id = ${patient} AND ${among(sql`r.practice_id`, own)}`);
}

const OWNERS = new Set<unknown>(["patient_id", "practice_id"]);

/** What the filters ask for beyond patient and practice. Records that were deleted are shown where that is asked about. */
function conditionsOf(list: List): Sql {
  const { filters, asked, resource } = list;
  const others = filters.filter((one) => !OWNERS.has(fieldColumn(resource, one.field)) && !isBound(resource, one));
  const conditions = [
    ...others.map((filter) => conditionOf(resource, filter, asked[filter.parameter])),
    ...rangesOf(list).map(({ field, compare }) => existsKey(resource, field, compare)),
  ];
  const isAboutDeleted = filters.some(({ field }) => fieldColumn(resource, field) === "deleted_date");
  const present = isAboutDeleted ? [] : [sql`r.deleted_date IS NULL`];
  return join([...present, ...conditions], " AND ");
}

const COMPARISON = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;
type Comparison = keyof typeof COMPARISON;

/** How the keys of spans compare with a day (`spanKey`). */
const SPAN_COMPARISON = {
  begins_lte: (day: string) => sql`split_part(f.value, '/', 2) <= ${day}`,
  ends_gte: (day: string) => sql`f.value >= ${day}`,
} as const;

function conditionOf(resource: Resource, { field, bound }: Filter, value: unknown): Sql {
  if (field === "id") return among(sql`r.id`, [value].flat() as number[]);
  const isColumn = fieldColumn(resource, field) === "deleted_date";
  if (bound === "isnull" || bound === "isnotnull") {
    const empties = isColumn ? sql`(r.deleted_date IS NULL)` : sql`(f.value = '')`;
    const wanted = sql`${empties} = ${value === (bound === "isnull")}`;
    return isColumn ? wanted : existsKey(resource, field, wanted);
  }
  if (bound === "words") {
    const conditions = searchWords(value).map((word) => existsKey(resource, field, startsWith(word)));
    return conditions.length === 0 ? sql`TRUE` : join(conditions, " AND ");
  }
  if (isColumn)
    return sql`r.deleted_date ${raw(bound === "eq" ? "=" : COMPARISON[bound as Comparison])} ${value}::timestamptz`;
  return existsKey(resource, field, compareKey({ bound }, value));
}

function compareKey({ bound }: Pick<Filter, "bound">, value: unknown): Sql {
  if (bound === "eq") return among(sql`f.value`, [value].flat().map(toKey));
  if (bound in SPAN_COMPARISON) return SPAN_COMPARISON[bound as keyof typeof SPAN_COMPARISON](toKey(value));
  return sql`f.value <> '' AND f.value ${raw(COMPARISON[bound as Comparison])} ${toKey(value)}`;
}

/** A range, which the keys' index serves. */
function startsWith(word: string): Sql {
  return sql`f.value >= ${toKey(word)} AND f.value < ${`${toKey(word)}\u{10FFFF}`}`;
}

function existsKey({ name }: Resource, field: string, compare: Sql): Sql {
  return sql`EXISTS (SELECT FROM resource_key f WHERE f.resource = ${name} AND f.field = ${field}
    AND f.practice_id = coalesce(r.practice_id, ${NO_PRACTICE}) AND f.record_id = r.id AND ${compare})`;
}
