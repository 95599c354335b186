import type { Access } from "@/lib/access/identity/access";
import { type PageRequest, type PageSlice, withCount } from "@/lib/platform/db/page";
import { db, empty, inList, join, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { type Bound, isBound } from "@/lib/platform/http/query";
import type { Data } from "./data-types";
import { COLUMNS, NO_PRACTICE, SIZE } from "./queries";
import { type Filter, fieldColumn, listFilters, searchWords, toKey } from "./rules";
import type { RecordRow, Resource } from "./schema";

/** A page ends before its data exceeds `maxBytes`, but has at least one record. */
type SizedPageRequest = PageRequest & { maxBytes?: number };

/** The maximum size of a page. Larger pages would delay every other request. 100 typical records are much smaller. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

type FoundRow<D extends Data> = RecordRow<D> & { page_key: string; is_followed: boolean };

/** A list as requested: the filters in its query, and their values. */
interface List {
  resource: Resource;
  filters: readonly Filter[];
  query: Data;
}

/**
 * Lists a page of a resource's records that the caller can read. Each ordering has an index: the records of a practice or patient
 * by ID, and the keys of a field by value. For several practices or values, the statement merges the first rows of each.
 */
export async function listRecords<D extends Data>(
  access: Access,
  resource: Resource<D>,
  query: Data,
  page: SizedPageRequest,
): Promise<PageSlice<RecordRow<D>>> {
  const found = await db.rows<FoundRow<D>>(await pageStatement(access, resource, query, page));
  const backwards = page.cursor?.direction === "before";
  const rows = found.slice(0, page.limit);
  const more = rows.at(-1)?.is_followed ?? false;
  if (backwards) rows.reverse();
  const slice = { rows, hasNext: backwards || more, hasPrevious: backwards ? more : page.cursor !== undefined };
  return withCount(slice, page, () => countStatement(access, resource, query), db);
}

/** Returns the statement that counts a list, owner by owner. */
export function countStatement(access: Access, resource: Resource, query: Data): Sql {
  const list = toList(resource, query);
  const practices = listedPractices(access, list);
  const filters = list.filters.filter(({ field }) => fieldColumn(resource, field) !== "practice_id");
  const [driving = findSingleKey(list)] = listRanges(list);
  const hasIndex = filters.length === (driving?.filters.length ?? 0);
  const counts = hasIndex
    ? practices.map((practice) => countByIndexes(resource, practice, driving))
    : ownerConditions(list, practices).map((owner) => countRecords(resource, sql`${owner} AND ${conditions(list)}`));
  return sql`SELECT ${join([...counts, sql`0`], " + ")} AS count`;
}

const countRecords = ({ name }: Resource, condition: Sql) =>
  sql`(SELECT count(*) FROM resource_record r WHERE r.resource = ${name} AND ${condition})`;

/**
 * Counts the records of a practice, or those with keys, by indexes alone. They don't say which records are deleted, so those are
 * counted as well, and subtracted.
 */
function countByIndexes(resource: Resource, practice: number | null, driving: Driving | null): Sql {
  const owner = isOfPractice(practice);
  const deleted = sql`${owner} AND r.deleted_date IS NOT NULL`;
  if (!driving) return sql`${countRecords(resource, owner)} - ${countRecords(resource, deleted)}`;
  const withKey = hasKey(resource, driving.field, driving.compare);
  return sql`(SELECT count(*) FROM (${selectKeys(resource, practice, driving)}) AS keys)
    - ${countRecords(resource, sql`${deleted} AND ${withKey}`)}`;
}

/** Returns the statement that selects a page of a list. */
export async function pageStatement(
  access: Access,
  resource: Resource,
  query: Data,
  page: SizedPageRequest,
): Promise<Sql> {
  const list = toList(resource, query);
  const practices = listedPractices(access, list);
  const [range] = listRanges(list);
  const isNarrow = range !== undefined && listedPatients(list) === null && (await matchesFew(list, practices, range));
  return selectPage(list, practices, { ...page, driving: isNarrow ? range : findSingleKey(list) });
}

function toList(resource: Resource, query: Data): List {
  return { resource, filters: listFilters(resource).filter(({ parameter }) => query[parameter] !== undefined), query };
}

/** A filter that finds records by their keys instead of checking each record. */
interface Driving {
  filters: readonly Filter[];
  field: string;
  compare: Sql;
  /** Whether their keys are in the order of IDs. */
  isInOrder: boolean;
}

/** Returns a filter by a single value, whose keys are in the order of IDs. */
function findSingleKey(list: List): Driving | null {
  const { resource, query } = list;
  const valuesOf = ({ parameter }: Filter) => [query[parameter]].flat();
  const filter = list.filters.find(
    (one) => one.bound === "eq" && fieldColumn(resource, one.field) === undefined && valuesOf(one).length === 1,
  );
  if (!filter || listedPatients(list) !== null) return null;
  const compare = sql`f.value = ${toKey(valuesOf(filter)[0])}`;
  return { filters: [filter], field: filter.field, compare, isInOrder: true };
}

/** Groups the bounds by field. One of the field's values must be within all of them. */
function listRanges({ resource, filters, query }: List): Driving[] {
  const bounds = filters.filter((filter) => isRange(resource, filter));
  return [...new Set(bounds.map(({ field }) => field))].map((field) => {
    const ofField = bounds.filter((filter) => filter.field === field);
    const compares = ofField.map((filter) => compareKey(filter, query[filter.parameter]));
    return { filters: ofField, field, compare: join(compares, " AND "), isInOrder: false };
  });
}

function isRange(resource: Resource, { bound, field }: Filter): boolean {
  const isOfSpan = bound === "begins_lte" || bound === "ends_gte";
  return (isBound(bound) || isOfSpan) && fieldColumn(resource, field) !== "deleted_date";
}

/** The maximum number of keys that are sorted for a page. */
const MAX_SORTED_KEYS = 10_000;

/** Returns whether bounds match few enough records to sort them. Otherwise the list is scanned until a page is full. */
async function matchesFew(
  { resource }: List,
  practices: readonly (number | null)[],
  { field, compare }: Driving,
): Promise<boolean> {
  const counts = practices.map(
    (practice) => sql`(SELECT FROM resource_key f WHERE f.resource = ${resource.name} AND f.field = ${field}
      AND f.practice_id = ${practice ?? NO_PRACTICE} AND ${compare} LIMIT ${MAX_SORTED_KEYS + 1})`,
  );
  if (counts.length === 0) return false;
  const found = await db.first<{ count: number }>(
    sql`SELECT count(*) AS count FROM (${join(counts, " UNION ALL ")}) AS within`,
  );
  return (found?.count ?? 0) <= MAX_SORTED_KEYS;
}

/** Returns the practices of a list. A null stands for the shared records. */
function listedPractices(access: Access, { resource, filters, query }: List): (number | null)[] {
  const filter = filters.find(({ field }) => fieldColumn(resource, field) === "practice_id");
  const wanted = filter && new Set([query[filter.parameter]].flat());
  const ownPractices = resource.owner === "everyone" ? [] : access.practices.filter((id) => wanted?.has(id) ?? true);
  return resource.owner === "everyone" || (resource.shared && !wanted) ? [...ownPractices, null] : ownPractices;
}

const isOfPractice = (practice: number | null): Sql =>
  practice === null ? sql`r.practice_id IS NULL` : sql`r.practice_id = ${practice}`;

function selectPage(
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
      : branchesByKey(list, practices, { page, descending, field });
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
    WHERE place = 1 OR bytes <= ${page.maxBytes ?? MAX_PAGE_BYTES} ORDER BY place`;
}

interface Walk {
  page: PageRequest;
  descending: boolean;
}

/** Selects in the order of IDs: a patient's or practice's records, or those found by their keys. */
function branchesById(
  list: List,
  practices: readonly (number | null)[],
  { page, descending, driving }: Walk & { driving: Driving | null },
): Sql[] {
  const { resource, filters } = list;
  const direction = raw(descending ? "DESC" : "ASC");
  const past = (id: Sql) => (page.cursor ? sql`AND ${id} ${raw(descending ? "<" : ">")} ${page.cursor.id}` : empty);
  if (driving) {
    const rest = conditions({ ...list, filters: filters.filter((filter) => !driving.filters.includes(filter)) });
    return practices.map((practice) => {
      const keys = sql`${selectKeys(resource, practice, driving)} ${past(sql`f.record_id`)}`;
      // Keys within bounds are not in the order of IDs. Without the fence, the planner walks all IDs to find them in order.
      const fence = driving.isInOrder ? empty : sql`OFFSET 0`;
      return sql`
        SELECT f.record_id AS id, '' AS key FROM (${keys} ${fence}) AS f
        CROSS JOIN ${lookUpRecord(sql`f.record_id`, sql`${isOfPractice(practice)} AND ${rest}`)} ORDER BY f.record_id ${direction}`;
    });
  }
  return ownerConditions(list, practices).map(
    (owner) => sql`
      SELECT r.id, '' AS key FROM resource_record r
      WHERE r.resource = ${resource.name} AND ${owner} AND ${conditions(list)} ${past(sql`r.id`)} ORDER BY r.id ${direction}`,
  );
}

/** Selects the records of a practice that have keys. */
function selectKeys({ name }: Resource, practice: number | null, { field, compare, isInOrder }: Driving): Sql {
  // A field can have several keys within the bounds.
  const once = isInOrder ? empty : sql`DISTINCT`;
  return sql`SELECT ${once} f.record_id FROM resource_key f
    WHERE f.resource = ${name} AND f.field = ${field} AND f.practice_id = ${practice ?? NO_PRACTICE} AND ${compare}`;
}

/** Looks up the record of each key one by one: a page needs few, and a merge would read all of them. */
function lookUpRecord(id: Sql, condition: Sql): Sql {
  return sql`LATERAL (SELECT r.id FROM resource_record r WHERE r.id = ${id} AND ${condition} OFFSET 0) AS r`;
}

/** Selects in the order of a field's values: by its keys, practice by practice. */
function branchesByKey(
  list: List,
  practices: readonly (number | null)[],
  { page, descending, field }: Walk & { field: string },
): Sql[] {
  const { resource } = list;
  const direction = raw(descending ? "DESC" : "ASC");
  const seek = page.cursor
    ? sql`AND (k.value, k.record_id) ${raw(descending ? "<" : ">")} (${page.cursor.value}, ${page.cursor.id})`
    : empty;
  const patients = listedPatients(list);
  return practices.map((practice) => {
    const condition = sql`${isOfPractice(practice)} AND ${conditions(list)}`;
    // A patient has few records, so the planner begins with them.
    const record = patients
      ? sql`JOIN resource_record r ON r.id = k.record_id AND ${inList(sql`r.patient_id`, patients)} AND ${condition}`
      : sql`CROSS JOIN ${lookUpRecord(sql`k.record_id`, condition)}`;
    return sql`
      SELECT r.id, k.value AS key FROM resource_key k ${record}
      WHERE k.resource = ${resource.name} AND k.field = ${field} AND k.practice_id = ${practice ?? NO_PRACTICE} ${seek}
      ORDER BY k.value ${direction}, k.record_id ${direction}`;
  });
}

/** Returns the patients that a list is filtered by, or null. */
function listedPatients({ resource, filters, query }: List): number[] | null {
  const filter = filters.find(({ field }) => fieldColumn(resource, field) === "patient_id");
  return filter ? [...new Set(idsIn(query[filter.parameter]))] : null;
}

/** Returns the IDs in a query parameter, which was parsed as numbers. */
function idsIn(value: unknown): number[] {
  return [value].flat().filter((id) => typeof id === "number");
}

/** Returns a condition for each patient that the list is filtered by, or else for each practice. */
function ownerConditions(list: List, practices: readonly (number | null)[]): Sql[] {
  if (practices.length === 0) return [];
  const patients = listedPatients(list);
  if (patients === null) return practices.map(isOfPractice);
  const ownPractices = practices.filter((practice) => practice !== null);
  return patients.map((patient) => sql`r.patient_id = ${patient} AND ${inList(sql`r.practice_id`, ownPractices)}`);
}

const OWNERS = new Set<unknown>(["patient_id", "practice_id"]);

/** Returns the conditions of the other filters. Deleted records are listed only by filters on their deletion. */
function conditions(list: List): Sql {
  const { filters, query, resource } = list;
  const others = filters.filter((one) => !OWNERS.has(fieldColumn(resource, one.field)) && !isRange(resource, one));
  const listsDeleted = filters.some(({ field }) => fieldColumn(resource, field) === "deleted_date");
  return join(
    [
      ...(listsDeleted ? [] : [sql`r.deleted_date IS NULL`]),
      ...others.map((filter) => filterCondition(resource, filter, query[filter.parameter])),
      ...listRanges(list).map(({ field, compare }) => hasKey(resource, field, compare)),
    ],
    " AND ",
  );
}

const OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const satisfies Record<Bound, string>;

function filterCondition(resource: Resource, { field, bound }: Filter, value: unknown): Sql {
  if (field === "id") return inList(sql`r.id`, idsIn(value));
  const isDeletion = fieldColumn(resource, field) === "deleted_date";
  if (bound === "isnull" || bound === "isnotnull") {
    const isEmpty = isDeletion ? sql`(r.deleted_date IS NULL)` : sql`(f.value = '')`;
    const wanted = sql`${isEmpty} = ${value === (bound === "isnull")}`;
    return isDeletion ? wanted : hasKey(resource, field, wanted);
  }
  if (bound === "words") {
    const words = searchWords(value).map((word) => hasKey(resource, field, startsWith(word)));
    return words.length === 0 ? sql`TRUE` : join(words, " AND ");
  }
  if (isDeletion) return sql`r.deleted_date ${operatorOf(bound)} ${value}::timestamptz`;
  return hasKey(resource, field, compareKey({ bound }, value));
}

const operatorOf = (bound: Filter["bound"]) => raw(isBound(bound) ? OPERATORS[bound] : "=");

/** Compares a key, of the alias f, with the value of a filter. `spanKey` creates the keys of date ranges. */
function compareKey({ bound }: Pick<Filter, "bound">, value: unknown): Sql {
  if (bound === "eq") return inList(sql`f.value`, [value].flat().map(toKey));
  if (bound === "begins_lte") return sql`split_part(f.value, '/', 2) <= ${toKey(value)}`;
  if (bound === "ends_gte") return sql`f.value >= ${toKey(value)}`;
  return sql`f.value <> '' AND f.value ${operatorOf(bound)} ${toKey(value)}`;
}

/** Compares a key with the beginning of a word, as a range that the index serves. */
function startsWith(word: string): Sql {
  return sql`f.value >= ${toKey(word)} AND f.value < ${`${toKey(word)}\u{10FFFF}`}`;
}

function hasKey({ name }: Resource, field: string, compare: Sql): Sql {
  return sql`EXISTS (SELECT FROM resource_key f WHERE f.resource = ${name} AND f.field = ${field}
    AND f.practice_id = coalesce(r.practice_id, ${NO_PRACTICE}) AND f.record_id = r.id AND ${compare})`;
}
