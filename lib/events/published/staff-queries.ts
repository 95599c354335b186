import { clientNameOf } from "@/lib/access/clients/queries";
import type { Access } from "@/lib/access/identity/access";
import { databaseNow } from "@/lib/platform/db/due-time";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import { countRows, type RowCount } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, join, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { DELIVERIES, EVENT_STATUSES } from "./queries";
import { EVENT_COLUMNS, type EventRow, type StaffEventFilter, type WebhookEvent } from "./schema";

type ListedColumn =
  | "id"
  | "event_id"
  | "event_type"
  | "resource"
  | "resource_id"
  | "target"
  | "created_date"
  | "attempts"
  | "processed_date"
  | "status_code";

/** An event in the list on staff pages. */
export interface EventListRow extends Row<"published_event", ListedColumn> {
  client_name: string;
  status: "pending" | "processed" | "failed" | "canceled";
  /** An attempt is in progress. */
  sending: boolean;
  /** When the next attempt is due, or null if none is. */
  next_attempt_date: string | null;
  /** The next attempt is due. It is made after earlier events of the same record. */
  due: boolean;
  /** The beginning of the text. */
  error_content: string | null;
  /** `processed_date`, `status_code` and `error_content` are from the client's report, not from the delivery. */
  reported: boolean;
  /** The event is sent once its subscription is resumed. */
  paused: boolean;
  /** Whether a retry has an effect: the event failed, its client rejected it, or it waits for its next attempt. */
  retriable: boolean;
}

const STATUS = sql`CASE WHEN ${EVENT_STATUSES.failed} THEN 'failed' WHEN e.processed_date IS NOT NULL THEN 'processed'
  WHEN e.delivery = 'canceled' THEN 'canceled' ELSE 'pending' END`;
const CONDITIONS = {
  ...EVENT_STATUSES,
  ...DELIVERIES,
  canceled: sql`e.delivery = 'canceled' AND e.processed_date IS NULL AND NOT coalesce(${EVENT_STATUSES.failed}, FALSE)`,
};
const WAITS = sql`(e.delivery = 'pending' AND e.attempts > 0)`;
const REJECTED = sql`(e.delivery = 'delivered' AND ${DELIVERIES.rejected})`;
/** Whether an event can be sent again. Its subscription `s` must still exist. */
const RETRIABLE = sql`(s.deleted_date IS NULL AND (e.delivery = 'failed' OR ${WAITS} OR coalesce(${REJECTED}, FALSE)))`;

const row = () => sql`e.id, e.event_id, e.event_type, e.resource, e.resource_id, e.target,
  ${clientNameOf(sql`e.client_id`)} AS client_name, e.created_date, ${STATUS} AS status, e.delivery = 'sending' AS sending,
  e.attempts, CASE WHEN e.delivery = 'pending' AND s.paused_date IS NULL THEN e.next_attempt_date END AS next_attempt_date,
  e.delivery = 'pending' AND s.paused_date IS NULL AND e.next_attempt_date <= ${databaseNow()} AS due,
  e.processed_date, e.status_code, left(e.error_content, 300) AS error_content, e.reported_date IS NOT NULL AS reported,
  e.delivery = 'pending' AND s.paused_date IS NOT NULL AS paused, ${RETRIABLE} AS retriable`;

/** Returns a condition: an event `e` belongs to the caller's practices and matches a filter, for any client (invariant 4). */
function matching(access: Access, filter: StaffEventFilter): Sql {
  const { resource, resource_id, event_type, status, subscription, target, from, to } = filter;
  const when = (value: unknown, condition: Sql) => (value === undefined || value === "" ? [] : [condition]);
  return join(
    [
      inList(sql`e.practice_id`, access.practices),
      ...when(resource, sql`e.resource = ${resource}`),
      ...when(resource_id, sql`e.resource_id = ${resource_id}`),
      ...when(event_type, sql`e.event_type = ${event_type}`),
      ...when(subscription, sql`e.subscription_id = ${subscription}`),
      // Events have the target of their subscription, and there are few subscriptions.
      ...when(
        target,
        sql`e.subscription_id IN (SELECT t.id FROM subscription t WHERE position(lower(${target ?? ""}) IN lower(t.target)) > 0)`,
      ),
      ...when(from, sql`e.created_date >= ${from}::timestamptz`),
      ...when(to, sql`e.created_date < ${to}::timestamptz`),
      ...(status ? [CONDITIONS[status]] : []),
    ],
    " AND ",
  );
}

/** Returns a page of the practice's events, their number, and the ID of the newest event, to detect later ones. */
export async function searchEvents(
  access: Access,
  query: StaffEventFilter & { order: string; offset: number; limit: number },
): Promise<RowCount & { newest: number; results: EventListRow[] }> {
  const where = matching(access, query);
  const direction = raw(query.order.startsWith("-") ? "DESC" : "ASC");
  const [counted, newest, results] = await Promise.all([
    countRows(db, { from: sql`published_event e`, where }),
    newestEvent(access),
    selectRows(sql`(SELECT * FROM published_event e WHERE ${where} ORDER BY e.id ${direction}
      LIMIT ${query.limit} OFFSET ${query.offset})`),
  ]);
  const sign = query.order.startsWith("-") ? -1 : 1;
  return { ...counted, newest, results: results.sort((a, b) => sign * (a.id - b.id)) };
}

function selectRows(events: Sql): Promise<EventListRow[]> {
  return db.rows(sql`SELECT ${row()} FROM ${events} e JOIN subscription s ON s.id = e.subscription_id`);
}

async function newestEvent(access: Access): Promise<number> {
  // SQL, because PostgreSQL reads the newest event from the index for IN with one practice, but not for an array.
  const row = await db.first<Row<"published_event", "id">>(sql`
    SELECT e.id FROM published_event e WHERE ${inList(sql`e.practice_id`, access.practices)} ORDER BY e.id DESC LIMIT 1`);
  return row?.id ?? 0;
}

/**
 * Returns the current state of these events, and the number of newer events that match the filter. An open list stays up to date
 * this way without moving.
 */
export async function refreshEvents(
  access: Access,
  { after, ids, ...filter }: StaffEventFilter & { after: number; ids: readonly number[] },
): Promise<{ newer: number; results: EventListRow[] }> {
  const [newer, results] = await Promise.all([
    db.one<{ count: number }>(sql`
      SELECT count(*) AS count FROM published_event e WHERE ${matching(access, filter)} AND e.id > ${after}`),
    selectRows(sql`(SELECT * FROM published_event e WHERE ${matching(access, {})} AND ${inList(sql`e.id`, ids)})`),
  ]);
  return { newer: newer.count, results };
}

/** The maximum number of events in a retry of all matching events. */
const MAX_RETRIED = 10_000;

/** Counts the events that match the filter and can be retried, and lists the first of them by `event_id`. */
export async function findRetriable(
  access: Access,
  filter: StaffEventFilter,
): Promise<{ count: number; event_ids: number[] }> {
  // Selected separately, because each condition has its own index.
  const select = (condition: Sql) => sql`SELECT e.id, e.event_id
    FROM published_event e JOIN subscription s ON s.id = e.subscription_id
    WHERE ${matching(access, filter)} AND s.deleted_date IS NULL AND ${condition}`;
  const unsent = sql`e.delivery IN ('failed', 'pending') AND (e.delivery = 'failed' OR ${WAITS})`;
  const rows = await db.rows<Row<"published_event", "event_id"> & { count: number }>(sql`
    SELECT event_id, count(*) OVER () AS count FROM (${select(unsent)} UNION ALL ${select(REJECTED)}) retriable
    ORDER BY id LIMIT ${MAX_RETRIED}`);
  return { count: rows[0]?.count ?? 0, event_ids: rows.map(({ event_id }) => event_id) };
}

/** An event on its own page. */
export interface EventDetail
  extends EventListRow,
    Row<"published_event", "event_uuid" | "version" | "give_up_date" | "subscription_id"> {
  /** The whole text. */
  error_content: string | null;
  tries: AttemptRow[];
}

/** @throws NotFoundError if the event doesn't exist or belongs to another practice */
export async function getPracticeEvent(access: Access, eventId: number): Promise<EventDetail> {
  const found = await db.first<EventDetail>(sql`
    SELECT ${row()}, e.error_content AS error_content, e.event_uuid, e.version, e.give_up_date, e.subscription_id,
      (SELECT coalesce(json_agg(json_build_object('number', a.number, 'started_date', to_char(a.started_date AT TIME ZONE 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'duration_ms', a.duration_ms, 'status_code', a.status_code, 'error', a.error)
        ORDER BY a.number DESC), '[]') FROM webhook_attempt a WHERE a.published_event_id = e.id) AS tries
    FROM published_event e JOIN subscription s ON s.id = e.subscription_id
    WHERE e.event_id = ${eventId} AND ${matching(access, {})}`);
  if (!found) throw new NotFoundError("published event");
  return found;
}

/** Reads an event of the practice, for any client, and locks it for the rest of the transaction. */
export async function lockPracticeEvent(tx: Db, access: Access, eventId: number): Promise<EventRow> {
  const event = await tx.first(
    kysely
      .selectFrom("published_event")
      .select(EVENT_COLUMNS)
      .where("event_id", "=", eventId)
      .where("practice_id", "=", anyOf(access.practices))
      .forNoKeyUpdate(),
  );
  if (!event) throw new NotFoundError("published event");
  return event;
}

/** An event to be retried, in its current state. */
export interface RetryCandidate
  extends Row<
    "published_event",
    | "id"
    | "event_id"
    | "practice_id"
    | "subscription_id"
    | "resource_id"
    | "delivery"
    | "attempts"
    | "version"
    | "processed_date"
    | "status_code"
    | "error_content"
  > {
  /** It was delivered, but its client reported an error. */
  rejected: boolean;
  paused: boolean;
  ended: boolean;
}

/** Finds events of the practice by `event_id`, and locks them for the rest of the transaction. */
export function lockRetryCandidates(tx: Db, access: Access, eventIds: readonly number[]): Promise<RetryCandidate[]> {
  return tx.rows(sql`
    SELECT e.id, e.event_id, e.practice_id, e.subscription_id, e.resource_id, e.delivery, e.attempts, e.version,
      e.processed_date, e.status_code, e.error_content, coalesce(${REJECTED}, FALSE) AS rejected, s.paused_date IS NOT NULL AS paused, s.deleted_date IS NOT NULL AS ended
    FROM published_event e JOIN subscription s ON s.id = e.subscription_id
    WHERE ${matching(access, {})} AND ${inList(sql`e.event_id`, eventIds)} ORDER BY e.id FOR NO KEY UPDATE OF e`);
}

/** An event as its webhook contains it, with its client and practice. */
export interface AddressedEvent extends WebhookEvent, Row<"published_event", "client_id" | "practice_id"> {}

/** @throws NotFoundError if the event doesn't exist or belongs to another practice */
export async function getAddressedEvent(access: Access, eventId: number): Promise<AddressedEvent> {
  const event = await db.first(
    kysely
      .selectFrom("published_event")
      .select(["event_type", "event_id", "event_uuid", "resource", "resource_id", "client_id", "practice_id"])
      .where("event_id", "=", eventId)
      .where("practice_id", "=", anyOf(access.practices)),
  );
  if (!event) throw new NotFoundError("published event");
  return event;
}

/** An attempt to deliver an event. If it has no duration, it is in progress, or its sender was killed. */
export type AttemptRow = Omit<Row<"webhook_attempt">, "published_event_id">;

/** Lists the attempts to deliver an event, oldest first. For command-line programs, because it checks no rights. */
export async function listAttempts(eventId: number): Promise<AttemptRow[]> {
  return db.rows(
    kysely
      .selectFrom("webhook_attempt as a")
      .innerJoin("published_event as e", "e.id", "a.published_event_id")
      .select(["a.number", "a.started_date", "a.duration_ms", "a.status_code", "a.error"])
      .where("e.event_id", "=", eventId)
      .orderBy("a.number"),
  );
}

/** Published events of a practice that may need attention. */
export interface FailedEvents {
  undelivered: number;
  rejected: number;
}

/** Counts the failed events of the caller's practices, by practice. Omits practices without any. */
export async function countFailedEvents(access: Access): Promise<Map<number, FailedEvents>> {
  const { undelivered, rejected } = DELIVERIES;
  const inPractices = inList(sql`e.practice_id`, access.practices);
  // Counted separately, because each condition has its own index. A combined condition would read all events.
  const rows = await db.rows<FailedEvents & Row<"published_event", "practice_id">>(sql`
    SELECT practice_id, sum(undelivered)::bigint AS undelivered, sum(rejected)::bigint AS rejected FROM (
      SELECT e.practice_id, count(*) AS undelivered, 0 AS rejected FROM published_event e
      WHERE ${inPractices} AND ${undelivered} GROUP BY 1
      UNION ALL
      SELECT e.practice_id, 0, count(*) FROM published_event e WHERE ${inPractices} AND ${rejected} GROUP BY 1
    ) counts GROUP BY 1`);
  return new Map(rows.map(({ practice_id, ...counts }) => [practice_id, counts]));
}
