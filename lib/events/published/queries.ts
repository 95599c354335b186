import type { EventType } from "@/generated/rows/enums";
import type { ClientAccess } from "@/lib/access/identity/access";
import type { ScopeResource } from "@/lib/access/identity/scopes";
import { databaseNow } from "@/lib/platform/db/due-time";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import { type PageRequest, type PageSlice, selectPage } from "@/lib/platform/db/page";
import { type Db, db, inList, join, raw, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { keysOf } from "@/lib/platform/objects";
import { countStatement } from "./count-events";
import { IS_FIRST_OF_RECORD } from "./due-events";
import { EVENT_COLUMNS, type EventRow } from "./schema";

const TIME_FIELDS = ["created_date", "processed_date"] as const;
const BOUNDS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;
type TimeBound = `${(typeof TIME_FIELDS)[number]}__${keyof typeof BOUNDS}`;

/** Filters of the list. Times are ISO 8601. */
export type EventFilter = {
  resource?: string | undefined;
  resource_id?: number | undefined;
  event_type?: EventType | undefined;
  status?: "pending" | "processed" | "failed" | undefined;
} & Partial<Record<TimeBound, string | undefined>>;

/** An event has failed if its client reported an error, or if it won't be tried again. */
const FAILED = sql`(e.delivery = 'failed' OR (e.reported_date IS NOT NULL AND e.error_content <> ''))`;
/**
 * The status of an event `e`, for the addressed client and for the practice's staff. SQL, because pages, counts and other conditions
 * nest it.
 */
export const EVENT_STATUSES = {
  failed: FAILED,
  processed: sql`e.processed_date IS NOT NULL AND NOT coalesce(${FAILED}, FALSE)`,
  // A canceled event has none of these statuses unless its client has reported on it.
  pending: sql`e.processed_date IS NULL AND e.delivery <> 'canceled' AND NOT coalesce(${FAILED}, FALSE)`,
};

/** The delivery state of an event `e`, for all counts and filters of staff pages and command-line programs. */
export const DELIVERIES = {
  /** Waiting to be sent, or being sent. */
  waiting: sql`e.delivery IN ('pending', 'sending')`,
  /** Failed for 72 hours. It can be sent again, because its subscription still exists. */
  undelivered: sql`(e.delivery = 'failed'
    AND EXISTS (SELECT FROM subscription u WHERE u.id = e.subscription_id AND u.deleted_date IS NULL))`,
  /** Delivered, but its client reported an error. */
  rejected: sql`(e.delivery <> 'failed' AND e.reported_date IS NOT NULL AND e.error_content <> '')`,
};

/** Fields the list of events can be ordered by. */
export const EVENT_ORDERS = {
  event_id: sql`e.event_id`,
  created_date: sql`e.created_date`,
  resource_id: sql`e.resource_id`,
};

/** Returns a page of the events addressed to the caller, of practices that it can access (invariant 4). Their number is exact. */
export async function listEvents(
  access: ClientAccess,
  filter: EventFilter,
  page: PageRequest,
): Promise<PageSlice<EventRow>> {
  const ofCaller = [sql`e.client_id = ${access.clientId}`, inList(sql`e.practice_id`, access.practices)];
  const where = [...ofCaller];
  for (const column of ["resource", "resource_id", "event_type"] as const) {
    if (filter[column] !== undefined) where.push(sql`e.${raw(column)} = ${filter[column]}`);
  }
  if (filter.status) where.push(EVENT_STATUSES[filter.status]);
  for (const field of TIME_FIELDS) {
    for (const bound of keysOf(BOUNDS)) {
      const value = filter[`${field}__${bound}`];
      if (value !== undefined) where.push(sql`e.${raw(field)} ${raw(BOUNDS[bound])} ${value}::timestamptz`);
    }
  }
  return selectPage(db, {
    columns: raw(EVENT_COLUMNS.map((column) => `e.${column}`).join(", ")),
    from: sql`published_event e`,
    where: join(where, " AND "),
    countStatement: where.length === ofCaller.length ? countStatement(access) : undefined,
    id: sql`e.id`,
    orderings: EVENT_ORDERS,
    page,
  });
}

/** @throws NotFoundError if the event doesn't exist or is addressed to another client */
export async function getEvent(access: ClientAccess, eventId: number): Promise<EventRow> {
  return found(await db.first(selectEvent(access, eventId)));
}

/** Reads an event as `getEvent` does, and locks it for the rest of the transaction. */
export async function lockEvent(tx: Db, access: ClientAccess, eventId: number): Promise<EventRow> {
  return found(await tx.first(selectEvent(access, eventId).forNoKeyUpdate()));
}

function selectEvent(access: ClientAccess, eventId: number) {
  return kysely
    .selectFrom("published_event")
    .select(EVENT_COLUMNS)
    .where("event_id", "=", eventId)
    .where("client_id", "=", access.clientId)
    .where("practice_id", "=", anyOf(access.practices));
}

function found(event: EventRow | null): EventRow {
  if (!event) throw new NotFoundError("published event");
  return event;
}

/** Returns the ID of the newest published event, or 0. */
export async function lastEventId(read: Db): Promise<number> {
  const { id } = await read.one(kysely.selectFrom("published_event").select((row) => row.fn.max("id").as("id")));
  return id ?? 0;
}

/** Counts the events of a record with an ID above `since`. */
export async function countEventsSince(
  read: Db,
  { resource, id, since }: { resource: ScopeResource; id: number; since: number },
): Promise<number> {
  const { count } = await read.one(
    kysely
      .selectFrom("published_event")
      .select((row) => row.fn.countAll<number>().as("count"))
      .where("id", ">", since)
      .where("resource", "=", resource)
      .where("resource_id", "=", id),
  );
  return count;
}

/** The number of events of all practices that have not been sent yet. */
export interface DeliveryBacklog {
  /** Their next attempt is due. It is made after earlier events of the same record. */
  due: number;
  sending: number;
  /** Their next attempt is due later. */
  waiting: number;
  /** Their subscription is paused. */
  paused: number;
  /** Since when the oldest event that can be sent now has been due, or null. */
  due_since: string | null;
}

/** Counts the events of all practices that have not been sent yet, except those that listeners fetch. For operators. */
export function getDeliveryBacklog(): Promise<DeliveryBacklog> {
  // An event that was published while an earlier one is retried is due, but can wait for hours, so it must not count as late. Only the
  // oldest events are checked for that, as `claimEvents` does, because checking all of a long queue takes seconds.
  return db.one<DeliveryBacklog>(sql`
    SELECT count(*) FILTER (WHERE s.paused_date IS NULL AND e.next_attempt_date <= ${databaseNow()}) AS due,
      count(*) FILTER (WHERE s.paused_date IS NULL AND e.next_attempt_date > ${databaseNow()}) AS waiting,
      count(*) FILTER (WHERE s.paused_date IS NOT NULL) AS paused,
      (SELECT min(next.next_attempt_date) FROM subscription s CROSS JOIN LATERAL (
          SELECT e.next_attempt_date FROM published_event e
          WHERE e.subscription_id = s.id AND e.delivery = 'pending' AND e.next_attempt_date <= ${databaseNow()}
            AND ${IS_FIRST_OF_RECORD} ORDER BY e.next_attempt_date, e.id LIMIT 1) next
        WHERE s.deleted_date IS NULL AND s.paused_date IS NULL AND s.listen_until IS NULL) AS due_since,
      (SELECT count(*) FROM published_event WHERE lease_until IS NOT NULL) AS sending
    FROM published_event e JOIN subscription s ON s.id = e.subscription_id
    WHERE e.delivery = 'pending' AND s.listen_until IS NULL`);
}
