// What must be well again within a minute after a repair, besides the clients' writes.
import { expect } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import type { World } from "./world";

const POLL_MS = 100;

/** What waited at a moment: later changes keep coming. */
export interface Waiting {
  replication: number[];
  webhooks: number[];
  /** The last entry of the audit log that was not sealed. */
  unsealed: number;
}

/** Lists what waits to be replicated, delivered or sealed. */
export async function listWaiting(): Promise<Waiting> {
  const listIds = async (query: ReturnType<typeof sql>) => (await db.rows<{ id: number }>(query)).map(({ id }) => id);
  return {
    replication: await listIds(sql`SELECT id FROM replication_event WHERE status IN ('pending', 'failed')`),
    webhooks: await listIds(sql`SELECT id FROM published_event WHERE delivery NOT IN ('delivered', 'canceled')`),
    unsealed: Math.max(0, ...(await listIds(sql`SELECT max(id) AS id FROM audit_pending HAVING count(*) > 0`))),
  };
}

/** Counts what of it still waits. */
const countWaiting = ({ replication, webhooks, unsealed }: Waiting) =>
  db.one<Record<keyof Waiting, number>>(sql`
    SELECT (SELECT count(*) FROM replication_event WHERE id = ANY(${replication}) AND status IN ('pending', 'failed')) AS replication,
      (SELECT count(*) FROM published_event WHERE id = ANY(${webhooks}) AND delivery NOT IN ('delivered', 'canceled')) AS webhooks,
      (SELECT count(*) FROM audit_pending WHERE id <= ${unsealed}) AS unsealed`);

/**
 * Waits until everything that waited at the start is replicated, delivered and sealed, the database is redundant, and a condition is met.
 *
 * @throws Error that names what is not, after `limitMs`
 */
export async function untilHealed(
  { cluster }: Pick<World, "cluster">,
  hasService: () => boolean,
  limitMs: number,
): Promise<void> {
  const end = performance.now() + limitMs;
  let waiting: Waiting | null = null;
  const findProblems = async () => {
    waiting ??= await listWaiting();
    return {
      ...(await countWaiting(waiting)),
      isRedundant: await cluster.databases.isHealthy(),
      hasService: hasService(),
    };
  };
  const healed = { replication: 0, webhooks: 0, unsealed: 0, isRedundant: true, hasService: true };
  const message = `healed within ${limitMs / 1_000} s`;
  await expect.poll(findProblems, { timeout: limitMs, interval: POLL_MS, message }).toEqual(healed);
  // The last poll may have begun before the limit and ended after it.
  expect(performance.now(), message).toBeLessThanOrEqual(end);
}

/** Waits until nothing waits any more. The clients must have stopped. */
export async function untilQuiet(limitMs: number): Promise<void> {
  const quiet = { replication: [], webhooks: [], unsealed: 0 };
  await expect.poll(listWaiting, { timeout: limitMs, interval: 200 }).toEqual(quiet);
}
