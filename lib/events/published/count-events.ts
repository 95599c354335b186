import { setTimeout as pause } from "node:timers/promises";
import type { ClientAccess } from "@/lib/access/identity/access";
import { kysely } from "@/lib/platform/db/kysely";
import { inList, type Sql, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";

// A list of all events of a client has their number, which must not take longer the more there are, and writers must not wait for a
// counter. So housekeeping adds up events that have been committed, and a list counts the newer ones (ADR 0232).

/** Counting them takes about 0.1 s. */
const EVENTS_AT_ONCE = 100_000;
const POLL_MS = 20;
/** How long to wait for transactions that may publish events. */
const MAX_WAIT_MS = 2_000;

/** Returns a statement that selects the `count` of all events addressed to the caller, of practices that it can access. */
export function countStatement({ clientId, practices }: Pick<ClientAccess, "clientId" | "practices">): Sql {
  const ofCaller = sql`e.client_id = ${clientId} AND ${inList(sql`e.practice_id`, practices)}`;
  return sql`
    SELECT (SELECT coalesce(sum(e.events), 0)::bigint FROM event_count e WHERE ${ofCaller})
      + (SELECT count(*) FROM published_event e WHERE ${ofCaller} AND e.id > p.last_id) AS count
    FROM event_count_progress p`;
}

/**
 * Counts events that have been published since the last call. Leaves those after an ID that an unfinished transaction may have taken for
 * the next call. Several processes can call it at once.
 *
 * @returns the number of counted events
 */
export async function countPublishedEvents(): Promise<number> {
  let counted = 0;
  for (;;) {
    const events = await transaction(countNext);
    counted += events;
    if (events < EVENTS_AT_ONCE) return counted;
  }
}

async function countNext(tx: Tx): Promise<number> {
  const { last: to } = await tx.one<{ last: number | null }>(sql`
    SELECT max(id) AS last FROM (
      SELECT id FROM published_event WHERE id > (SELECT last_id FROM event_count_progress)
      ORDER BY id LIMIT ${EVENTS_AT_ONCE}) AS newer`);
  if (to === null || !(await waitForWriters(tx))) return 0;
  // Deletions wait for this lock, so that each of their events is either counted and subtracted, or neither.
  const { last_id: from } = await tx.one(kysely.selectFrom("event_count_progress").select("last_id").forUpdate());
  if (from >= to) return 0;
  const { events } = await tx.one<{ events: number }>(sql`
    WITH newer AS (
      SELECT client_id, practice_id, count(*) AS events FROM published_event WHERE id > ${from} AND id <= ${to}
      GROUP BY client_id, practice_id),
    added AS (
      INSERT INTO event_count AS c (client_id, practice_id, events)
      SELECT client_id, practice_id, events FROM newer
      ON CONFLICT (client_id, practice_id) DO UPDATE SET events = c.events + excluded.events)
    SELECT coalesce(sum(events), 0)::bigint AS events FROM newer`);
  await tx.run(kysely.updateTable("event_count_progress").set({ last_id: to }));
  return events;
}

/**
 * Waits for the transactions that are writing to the table of events. A transaction has locked the table before it takes an ID, and IDs
 * ascend, so afterward all events up to an ID that was visible before have been committed or rolled back.
 *
 * @returns whether they ended in time
 */
async function waitForWriters(tx: Tx): Promise<boolean> {
  const writing = (which: Sql) => sql`
    SELECT virtualtransaction AS writer FROM pg_locks
    WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND relation = 'published_event'::regclass AND mode = 'RowExclusiveLock' AND ${which}`;
  const writers = (await tx.rows<{ writer: string }>(writing(sql`TRUE`))).map(({ writer }) => writer);
  const end = performance.now() + MAX_WAIT_MS;
  while ((await tx.first(writing(inList(sql`virtualtransaction`, writers)))) !== null) {
    if (performance.now() > end) return false;
    await pause(POLL_MS);
  }
  return true;
}
