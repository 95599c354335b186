import { appendRecordVersion } from "@/lib/access/history/commands";
import { type Access, type ClientAccess, changedFields, type Origin } from "@/lib/access/identity/access";
import { daysAgo, isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { deleteOlder } from "@/lib/platform/db/delete-older";
import { databaseNow } from "@/lib/platform/db/due-time";
import { kysely } from "@/lib/platform/db/kysely";
import { inList, json, type Sql, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { lockDelivery, wakeDelivery } from "./due-events";
import { giveUpDate } from "./publish-events";
import { lockEvent } from "./queries";
import type { EventReport, EventRow } from "./schema";
import { lockPracticeEvent, lockRetryCandidates, type RetryCandidate } from "./staff-queries";

/** The three fields of an event without a report. */
export const NO_REPORT = { processed_date: null, error_content: null, status_code: null };

/**
 * Stores how the addressed client processed an event (specification, Events 1). Omitted fields stay unchanged, but the first report
 * replaces everything that deliveries stored. After it, deliveries no longer change the three fields. An event that is reported as
 * processed without an error is not delivered again.
 *
 * @throws NotFoundError if the event doesn't exist or is addressed to another client
 */
export async function reportEvent(
  { access, origin }: { access: ClientAccess; origin: Origin },
  eventId: number,
  report: EventReport,
): Promise<EventRow> {
  return storeReport((tx) => lockEvent(tx, access, eventId), origin, report);
}

/**
 * Reports on behalf of the client, as `reportEvent`, by the practice's staff.
 *
 * @throws NotFoundError if the event doesn't exist or belongs to another practice
 */
export async function reportEventForClient(
  { access, origin }: { access: Access; origin: Origin },
  eventId: number,
  report: EventReport,
): Promise<EventRow> {
  return storeReport((tx) => lockPracticeEvent(tx, access, eventId), origin, report);
}

async function storeReport(
  lock: (tx: Tx) => Promise<EventRow>,
  origin: Origin,
  report: EventReport,
): Promise<EventRow> {
  return transaction(async (tx) => {
    const before = await lock(tx);
    const { processed_date, error_content, status_code } = before;
    const stored = before.reported_date === null ? NO_REPORT : { processed_date, error_content, status_code };
    const sent = Object.fromEntries(Object.entries(report).filter(([, value]) => value !== undefined));
    if (Object.keys(sent).length === 0) return before;
    const after = { ...stored, ...sent };
    const now = isoNow();
    const version = before.version + 1;
    await tx.run(sql`
      UPDATE published_event SET processed_date = ${after.processed_date}, error_content = ${after.error_content},
        status_code = ${after.status_code}, reported_date = ${now}, modified_date = ${now}, version = ${version},
        delivery = CASE WHEN ${isDone(after)} AND delivery IN ('pending', 'failed') THEN 'delivered'
          ELSE delivery END
      WHERE id = ${before.id}`);
    if (isDone(after) && (await releaseLaterEvents(tx, before.id)) > 0) wakeDelivery(tx);
    const result = await lock(tx);
    const entry = { id: before.id, practiceId: before.practice_id, version, kind: "updated" as const };
    const changes = changedFields(before, {
      processed_date: result.processed_date,
      error_content: result.error_content,
      status_code: result.status_code,
    });
    await appendRecordVersion(tx, { type: "published_event", ...entry, changes, origin, occurredDate: now });
    return result;
  });
}

/** Makes later events of the same record due, because the attempt that they waited for won't be made. Returns their number. */
async function releaseLaterEvents(tx: Tx, id: number): Promise<number> {
  return tx.run(sql`
    UPDATE published_event later SET next_attempt_date = ${databaseNow()}
    FROM published_event e
    WHERE e.id = ${id} AND e.delivery = 'delivered' AND later.subscription_id = e.subscription_id
      AND later.resource_id = e.resource_id AND later.id > e.id AND later.delivery = 'pending' AND later.attempts = 0
      AND later.next_attempt_date > ${databaseNow()}`);
}

function isDone(report: { processed_date: string | null; error_content: string | null }): boolean {
  return report.processed_date !== null && !report.error_content;
}

/**
 * The outcome of a retry. `queued`: the event is sent next. `paused`: it is sent once its subscription is resumed. The others
 * are left unchanged: in progress, delivered, canceled, or absent.
 */
export type RetryOutcome = "queued" | "paused" | "sending" | "delivered" | "canceled" | "absent";

export interface RetryResult {
  event_id: number;
  outcome: RetryOutcome;
}

/**
 * Queues these events for delivery, on behalf of a staff member. Failed events start over. So do events that their client rejected: its
 * report is kept in the event's history. Events that wait for their next attempt are due now. Repeating the call is harmless.
 *
 * @param access limits the events to the caller's practices
 */
export async function retryChosenEvents(
  { access, origin }: { access: Access; origin: Origin },
  eventIds: readonly number[],
): Promise<RetryResult[]> {
  return transaction(async (tx) => {
    lockDelivery(tx);
    const found = await lockRetryCandidates(tx, access, eventIds);
    const failed = found.filter(({ delivery, rejected, ended }) => (delivery === "failed" || rejected) && !ended);
    const waiting = found.filter(({ delivery, attempts }) => delivery === "pending" && attempts > 0);
    await requeue(tx, sql`e.id = ANY(${failed.map(({ id }) => id)}::bigint[])`);
    await scheduleNow(tx, waiting);
    if (failed.length + waiting.length > 0) wakeDelivery(tx);
    for (const event of [...failed, ...waiting]) await recordRetry(tx, event, origin);
    const byId = new Map(found.map((event) => [event.event_id, event]));
    return eventIds.map((event_id) => ({ event_id, outcome: toOutcome(byId.get(event_id)) }));
  });
}

/** Schedules these events for delivery now, and later events of the same records that wait for them. */
async function scheduleNow(tx: Tx, events: readonly RetryCandidate[]): Promise<void> {
  if (events.length === 0) return;
  const records = events.map(({ id, subscription_id, resource_id }) => ({ id, subscription_id, resource_id }));
  await tx.run(sql`
    UPDATE published_event e SET next_attempt_date = ${databaseNow()}
    FROM jsonb_to_recordset(${json(records)}) AS r(id bigint, subscription_id bigint, resource_id bigint)
    WHERE e.subscription_id = r.subscription_id AND e.resource_id = r.resource_id AND e.id >= r.id
      AND e.delivery = 'pending' AND e.next_attempt_date > ${databaseNow()}`);
}

async function recordRetry(tx: Tx, event: RetryCandidate, origin: Origin): Promise<void> {
  const { id, practice_id: practiceId, delivery, processed_date, status_code, error_content } = event;
  const now = isoNow();
  const version = event.version + 1;
  await tx.run(kysely.updateTable("published_event").set({ version, modified_date: now }).where("id", "=", id));
  const report = event.rejected ? changedFields({ processed_date, status_code, error_content }, NO_REPORT) : {};
  const changes = { retried_date: { old: null, new: now }, delivery: { old: delivery, new: "pending" }, ...report };
  const entry = { id, practiceId, version, kind: "updated" as const, changes, origin, occurredDate: now };
  await appendRecordVersion(tx, { type: "published_event", ...entry });
}

function toOutcome(event: RetryCandidate | undefined): RetryOutcome {
  if (!event) return "absent";
  if (event.ended) return event.delivery === "delivered" && !event.rejected ? "delivered" : "canceled";
  if (event.rejected || event.delivery === "failed" || event.delivery === "pending") {
    return event.paused ? "paused" : "queued";
  }
  return event.delivery;
}

/** The failed events to deliver again: by ID, or all that failed since a time (ISO 8601). */
export type RetryChoice = { eventIds: readonly number[] } | { failedSince: string; subscriptionId?: number };

/**
 * Queues failed events for delivery, for another 72 hours. Leaves events of deleted subscriptions unchanged.
 *
 * @param access limits the events to the caller's practices; `every practice` is for command-line programs
 * @returns the number of queued events
 */
export async function retryEvents(access: Access | "every practice", choice: RetryChoice): Promise<number> {
  return transaction(async (tx) => {
    lockDelivery(tx);
    const own = access === "every practice" ? sql`TRUE` : inList(sql`e.practice_id`, access.practices);
    return requeue(tx, sql`e.delivery = 'failed' AND ${own} AND ${choiceCondition(choice)}`);
  });
}

/** Starts the delivery of events `e` over, unless their subscription `s` is deleted. A rejected event loses its client's report. */
export function requeue(tx: Tx, condition: Sql): Promise<number> {
  const now = isoNow();
  return tx.run(sql`
    UPDATE published_event e SET delivery = 'pending', failed_date = NULL, attempts_before = attempts,
      next_attempt_date = ${databaseNow()}, give_up_date = ${giveUpDate(now)}, modified_date = ${now},
      processed_date = CASE delivery WHEN 'failed' THEN processed_date END,
      status_code = CASE delivery WHEN 'failed' THEN status_code END,
      error_content = CASE delivery WHEN 'failed' THEN error_content END,
      reported_date = CASE delivery WHEN 'failed' THEN reported_date END
    FROM subscription s
    WHERE s.id = e.subscription_id AND s.deleted_date IS NULL AND ${condition}`);
}

function choiceCondition(choice: RetryChoice): Sql {
  if ("eventIds" in choice) return inList(sql`e.event_id`, choice.eventIds);
  const { failedSince, subscriptionId } = choice;
  const since = sql`e.failed_date >= ${failedSince}::timestamptz`;
  return subscriptionId === undefined ? since : sql`${since} AND s.id = ${subscriptionId}`;
}

/** Cancels events that were published while their subscription was being deleted, which would never be delivered. */
export async function cancelEndedEvents(): Promise<void> {
  const deleted = kysely.selectFrom("subscription").select("id").where("deleted_date", "is not", null);
  const cancel = kysely
    .updateTable("published_event")
    .set({ delivery: "canceled", modified_date: isoNow() })
    .where("subscription_id", "in", deleted)
    .where("delivery", "=", "pending");
  await transaction(async (tx) => {
    lockDelivery(tx);
    await tx.run(cancel);
  });
}

/** Deletes events and their attempts EVENT_RETENTION_DAYS after the change. Keeps events whose attempt is in progress. */
export async function removeOldPublishedEvents(): Promise<number> {
  const limit = daysAgo(config().EVENT_RETENTION_DAYS);
  return deleteOlder("published_event", "created_date", limit, sql`delivery <> 'sending'`);
}
