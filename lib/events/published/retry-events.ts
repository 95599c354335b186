import type { Access } from "@/lib/access/identity/access";
import { isoNow } from "@/lib/platform/clock";
import { type Db, db, inList, type Sql, sql } from "@/lib/platform/db/sql";
import { giveUpDate } from "./rules";

/** Which failed events to deliver again: one or many by id, or all that failed since a time (ISO 8601). */
export type RetryChoice = { eventIds: readonly number[] } | { failedSince: string; subscriptionId?: number };

/**
 * Queues failed events for delivery and tries them for another 72 hours (design §8). Events of ended subscriptions stay
 * unchanged.
 *
 * @param access limits the events to the caller's practices; `every practice` is for command-line programs
 * @returns how many events will be delivered again
 */
export async function retryEvents(
  access: Access | "every practice",
  choice: RetryChoice,
  write: Db = db,
): Promise<number> {
  const now = isoNow();
  return write.run(sql`
    UPDATE published_event e SET delivery = 'pending', failed_date = NULL, attempts_before = attempts,
      next_attempt_date = ${now}, give_up_date = ${giveUpDate(now)}, modified_date = ${now}
    FROM subscription s
    WHERE s.id = e.subscription_id AND s.deleted_date IS NULL AND e.delivery = 'failed'
      AND ${access === "every practice" ? sql`TRUE` : inList(sql`e.practice_id`, access.practices)} AND ${chosen(choice)}`);
}

function chosen(choice: RetryChoice): Sql {
  if ("eventIds" in choice) return inList(sql`e.event_id`, choice.eventIds);
  const { failedSince, subscriptionId } = choice;
  const since = sql`e.failed_date >= ${failedSince}::timestamptz`;
  return subscriptionId === undefined ? since : sql`${since} AND s.id = ${subscriptionId}`;
}
