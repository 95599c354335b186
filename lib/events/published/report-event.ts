import { appendRecordVersion } from "@/lib/access/history/commands";
import { type Access, type ClientAccess, changedFields, type Origin } from "@/lib/access/identity/access";
import { isoNow } from "@/lib/platform/clock";
import { sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { lockEvent } from "./queries";
import type { EventReport, EventRow } from "./schema";
import { lockPracticeEvent } from "./staff-queries";

/**
 * Stores how the addressed client processed an event (specification, Events 1). Omitted fields stay unchanged, except that the
 * first report replaces everything the delivery had stored. From then on no delivery changes the three fields. An event reported
 * as processed without an error is not delivered again.
 *
 * @throws NotFoundError if the event doesn't exist or is addressed to another client
 */
export async function reportEvent(
  { access, origin }: { access: ClientAccess; origin: Origin },
  eventId: number,
  report: EventReport,
): Promise<EventRow> {
  return noteReport((tx) => lockEvent(tx, access, eventId), origin, report);
}

/**
 * Stores the same on behalf of the client, by the practice's staff.
 *
 * @throws NotFoundError if the event doesn't exist or is of another practice
 */
export async function reportEventForClient(
  { access, origin }: { access: Access; origin: Origin },
  eventId: number,
  report: EventReport,
): Promise<EventRow> {
  return noteReport((tx) => lockPracticeEvent(tx, access, eventId), origin, report);
}

async function noteReport(lock: (tx: Tx) => Promise<EventRow>, origin: Origin, report: EventReport): Promise<EventRow> {
  return transaction(async (tx) => {
    const before = await lock(tx);
    const { processed_date, error_content, status_code } = before;
    const stored =
      before.reported_date === null
        ? { processed_date: null, error_content: null, status_code: null }
        : { processed_date, error_content, status_code };
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
    if (isDone(after)) await releaseFollowers(tx, before.id, now);
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

/** Releases later events of the same record, which waited for an attempt that won't be made now. */
async function releaseFollowers(tx: Tx, id: number, now: string): Promise<void> {
  await tx.run(sql`
    UPDATE published_event later SET next_attempt_date = ${now}
    FROM published_event e
    WHERE e.id = ${id} AND e.delivery = 'delivered' AND later.subscription_id = e.subscription_id
      AND later.resource_id = e.resource_id AND later.id > e.id AND later.delivery = 'pending' AND later.attempts = 0
      AND later.next_attempt_date > ${now}`);
}

function isDone(report: { processed_date: string | null; error_content: string | null }): boolean {
  return report.processed_date !== null && !report.error_content;
}
