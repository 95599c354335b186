import { appendRecordVersion } from "@/lib/access/history/commands";
import type { Access, Origin } from "@/lib/access/identity/access";
import { isoNow } from "@/lib/platform/clock";
import { json, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { retryEvents } from "./retry-events";
import { lockRetryCandidates, type RetryCandidate } from "./staff-queries";

/**
 * The outcome of a retry. `queued`: the event is sent next. `paused`: it is sent once its subscription is resumed. The others
 * are left unchanged: in progress, delivered, canceled, or not found.
 */
export type RetryOutcome = "queued" | "paused" | "sending" | "delivered" | "canceled" | "absent";

export interface RetryResult {
  event_id: number;
  outcome: RetryOutcome;
}

/**
 * Queues these events for delivery, on behalf of a person: failed events start over, and events that wait for their next attempt
 * are tried now. Repeating the call is harmless.
 *
 * @param access limits the events to the caller's practices
 */
export async function retryChosenEvents(
  { access, origin }: { access: Access; origin: Origin },
  eventIds: readonly number[],
): Promise<RetryResult[]> {
  return transaction(async (tx) => {
    const found = await lockRetryCandidates(tx, access, eventIds);
    const failed = found.filter(({ delivery, ended }) => delivery === "failed" && !ended);
    const waiting = found.filter(({ delivery, attempts }) => delivery === "pending" && attempts > 0);
    await retryEvents(access, { eventIds: failed.map(({ event_id }) => event_id) }, tx);
    await bringForward(tx, waiting);
    for (const event of [...failed, ...waiting]) await note(tx, event, origin);
    const byId = new Map(found.map((event) => [event.event_id, event]));
    return eventIds.map((event_id) => ({ event_id, outcome: outcomeOf(byId.get(event_id)) }));
  });
}

/** Releases later events of the same records, which waited for these attempts. */
async function bringForward(tx: Tx, events: readonly RetryCandidate[]): Promise<void> {
  if (events.length === 0) return;
  const now = isoNow();
  const records = events.map(({ id, subscription_id, resource_id }) => ({ id, subscription_id, resource_id }));
  await tx.run(sql`
    UPDATE published_event e SET next_attempt_date = ${now}
    FROM jsonb_to_recordset(${json(records)}) AS r(id bigint, subscription_id bigint, resource_id bigint)
    WHERE e.subscription_id = r.subscription_id AND e.resource_id = r.resource_id AND e.id >= r.id
      AND e.delivery = 'pending' AND e.next_attempt_date > ${now}`);
}

async function note(tx: Tx, event: RetryCandidate, origin: Origin): Promise<void> {
  const { id, practice_id: practiceId, delivery } = event;
  const now = isoNow();
  const version = event.version + 1;
  await tx.run(sql`UPDATE published_event SET version = ${version}, modified_date = ${now} WHERE id = ${id}`);
  const changes = { retried_date: { old: null, new: now }, delivery: { old: delivery, new: "pending" } };
  const entry = { id, practiceId, version, kind: "updated" as const, changes, origin, occurredDate: now };
  await appendRecordVersion(tx, { type: "published_event", ...entry });
}

function outcomeOf(event: RetryCandidate | undefined): RetryOutcome {
  if (!event) return "absent";
  if (event.ended) return event.delivery === "delivered" ? "delivered" : "canceled";
  if (event.delivery === "failed" || event.delivery === "pending") return event.paused ? "paused" : "queued";
  return event.delivery;
}
