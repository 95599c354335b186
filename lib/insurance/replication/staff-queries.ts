import type { Access, Origin } from "@/lib/access/identity/access";
import { clock } from "@/lib/platform/clock";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import { countRows, type RowCount } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, join, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import type { ReplicationFilter } from "./schema";

/** A row of the list of replication events on staff pages. */
export interface ReplicationListRow
  extends Omit<Row<"replication_event">, "practice_id" | "changes" | "origin" | "next_attempt_date"> {
  /** Time of the next attempt; null unless the event is pending. */
  next_attempt_date: string | null;
  /** Name of the author of the write. */
  actor: string;
  /** Whether it waits for an older event of the same patient. */
  blocked: boolean;
}

// The lists are SQL, because their columns are computed and their filters are shared with counts and bulk retries.

const OPEN = sql`e.status IN ('pending', 'failed')`;
const ROW = sql`e.id, e.patient_id, e.direction, e.kind, e.status, e.attempts,
  CASE WHEN e.status = 'pending' THEN e.next_attempt_date END AS next_attempt_date, e.last_error, e.created_date,
  e.acknowledged_date, coalesce(e.origin->'actor'->>'name', '') AS actor,
  ${OPEN} AND EXISTS (SELECT FROM replication_event h WHERE h.patient_id = e.patient_id AND h.id < e.id
    AND h.status IN ('pending', 'failed')) AS blocked`;

function isOwn(access: Access): Sql {
  return inList(sql`e.practice_id`, access.practices);
}

function matches(access: Access, { status, direction, patient, from, to }: ReplicationFilter): Sql {
  const when = (value: unknown, condition: Sql) => (value === undefined ? [] : [condition]);
  return join(
    [
      isOwn(access),
      ...(status === "open" ? [OPEN] : when(status, sql`e.status = ${status}`)),
      ...when(direction, sql`e.direction = ${direction}`),
      ...when(patient, sql`e.patient_id = ${patient}`),
      ...when(from, sql`e.created_date >= ${from}::timestamptz`),
      ...when(to, sql`e.created_date < ${to}::timestamptz`),
    ],
    " AND ",
  );
}

/** The number of changes that have not been replicated yet. */
export interface ReplicationBacklog {
  pending: number;
  failed: number;
  /** When the oldest pending event was written; null if none is pending. */
  oldest_pending: string | null;
}

/** The state of replication in the caller's practices. */
export interface PracticeReplication extends ReplicationBacklog {
  /** Seconds since the oldest pending event was written. */
  lag_seconds: number;
}

export async function getPracticeReplication(access: Access): Promise<PracticeReplication> {
  const backlog = await countOpen(isOwn(access));
  const { oldest_pending } = backlog;
  const waited = oldest_pending === null ? 0 : clock.now().getTime() - Date.parse(oldest_pending);
  return { ...backlog, lag_seconds: Math.max(0, Math.round(waited / 1000)) };
}

const PENDING = sql`e.status = 'pending'`;
const BEHIND_FAILED = sql`EXISTS (SELECT FROM replication_event h
  WHERE h.patient_id = e.patient_id AND h.id < e.id AND h.status = 'failed')`;

/**
 * Counts the changes of all practices that have not been replicated yet. For operators, so the oldest is one that should be replicated by now:
 * those behind a failed event wait for staff.
 */
export function getReplicationBacklog(): Promise<ReplicationBacklog> {
  return countOpen(sql`TRUE`, sql`${PENDING} AND NOT ${BEHIND_FAILED}`);
}

function countOpen(where: Sql, oldest: Sql = PENDING): Promise<ReplicationBacklog> {
  return db.one<ReplicationBacklog>(sql`
    SELECT count(*) FILTER (WHERE e.status = 'pending') AS pending, count(*) FILTER (WHERE e.status = 'failed') AS failed,
      min(e.created_date) FILTER (WHERE ${oldest}) AS oldest_pending
    FROM replication_event e WHERE ${where} AND ${OPEN}`);
}

type EventId = Row<"replication_event", "id">;

interface Count {
  count: number;
}

/** Selects from the events of the caller's practices. */
function ownEvents(access: Access) {
  return kysely.selectFrom("replication_event").where("practice_id", "=", anyOf(access.practices));
}

/** Returns a page of the events that match a query, newest first, with their number and the ID of the newest event. */
export async function searchReplication(
  access: Access,
  query: ReplicationFilter & { offset: number; limit: number },
): Promise<RowCount & { newest: number; health: PracticeReplication; results: ReplicationListRow[] }> {
  const where = matches(access, query);
  const [counted, newest, health, results] = await Promise.all([
    countRows(db, { from: sql`replication_event e`, where }),
    db.first(ownEvents(access).select("id").orderBy("id", "desc").limit(1)),
    getPracticeReplication(access),
    db.rows<ReplicationListRow>(sql`
      SELECT ${ROW} FROM replication_event e WHERE ${where} ORDER BY e.id DESC LIMIT ${query.limit} OFFSET ${query.offset}`),
  ]);
  return { ...counted, newest: newest?.id ?? 0, health, results };
}

/** A bulk retry handles at most this many events. Retrying again finds the rest. */
const MAX_RETRIED = 10_000;

/**
 * Finds the events that match a filter and can be retried: their number, and the IDs of the oldest. An event behind an older
 * one of its patient is not included, because it is retried with that one.
 */
export async function findRetriableHeads(
  access: Access,
  filter: ReplicationFilter,
): Promise<{ count: number; ids: number[] }> {
  const rows = await db.rows<EventId & Count>(sql`
    SELECT e.id, count(*) OVER () AS count FROM replication_event e
    WHERE ${matches(access, filter)} AND (e.status = 'failed' OR (e.status = 'pending' AND e.attempts > 0))
      AND NOT EXISTS (SELECT FROM replication_event h WHERE h.patient_id = e.patient_id AND h.id < e.id
        AND h.status IN ('pending', 'failed'))
    ORDER BY e.id LIMIT ${MAX_RETRIED}`);
  return { count: rows[0]?.count ?? 0, ids: rows.map(({ id }) => id) };
}

/** Returns the current state of these events and of replication, and the number of newer events that match the filter. */
export async function refreshReplication(
  access: Access,
  { after, ids, ...filter }: ReplicationFilter & { after: number; ids: readonly number[] },
): Promise<{ newer: number; health: PracticeReplication; results: ReplicationListRow[] }> {
  const [newer, health, results] = await Promise.all([
    db.one<Count>(sql`
      SELECT count(*) AS count FROM replication_event e WHERE ${matches(access, filter)} AND e.id > ${after}`),
    getPracticeReplication(access),
    db.rows<ReplicationListRow>(
      sql`SELECT ${ROW} FROM replication_event e WHERE ${isOwn(access)} AND ${inList(sql`e.id`, ids)}`,
    ),
  ]);
  return { newer: newer.count, health, results };
}

/** An event with its changes. */
export interface ReplicationDetail extends ReplicationListRow {
  /** Null once erased, because a policy was purged. */
  changes: Row<"replication_event", "changes">["changes"];
  origin: Pick<Origin, "actor" | "source" | "reason" | "operation">;
  /** Number of open events of the same patient that wait for it. */
  behind: number;
}

/** @throws NotFoundError if the event does not exist or belongs to another practice */
export async function getReplicationEvent(access: Access, id: number): Promise<ReplicationDetail> {
  const event = await db.first<ReplicationDetail>(sql`
    SELECT ${ROW}, e.changes, e.origin, (SELECT count(*) FROM replication_event b WHERE b.patient_id = e.patient_id AND b.id > e.id
      AND b.status IN ('pending', 'failed')) AS behind
    FROM replication_event e WHERE e.id = ${id} AND ${isOwn(access)}`);
  if (!event) throw new NotFoundError("event");
  return event;
}

/**
 * Returns the patient and state of an event.
 *
 * @throws NotFoundError if the event does not exist or belongs to another practice
 */
export async function getEventState(
  access: Access,
  id: number,
  read: Db = db,
): Promise<Row<"replication_event", "patient_id" | "status" | "last_error">> {
  const event = await read.first(ownEvents(access).select(["patient_id", "status", "last_error"]).where("id", "=", id));
  if (!event) throw new NotFoundError("event");
  return event;
}

/** The state of replication in one practice. */
export interface ReplicationState {
  pending: number;
  failed: number;
  /** Number of patients whose stores are not in sync yet. */
  unsettled: number;
  /** When the oldest pending event was written, ISO 8601; null if none is pending. */
  oldest: string | null;
}

/** Returns the state of replication by practice, for the caller's practices that have open events. */
export async function listReplicationStates(access: Access): Promise<Map<number, ReplicationState>> {
  const rows = await db.rows<ReplicationState & Row<"replication_event", "practice_id">>(sql`
    SELECT practice_id, count(*) FILTER (WHERE status = 'pending') AS pending,
      count(*) FILTER (WHERE status = 'failed') AS failed, count(DISTINCT patient_id) AS unsettled,
      min(created_date) FILTER (WHERE status = 'pending') AS oldest
    FROM replication_event WHERE status IN ('pending', 'failed') AND ${inList(sql`practice_id`, access.practices)}
    GROUP BY practice_id`);
  return new Map(rows.map(({ practice_id, ...state }) => [practice_id, state]));
}
