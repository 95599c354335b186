// What must be well again within a minute after a repair, besides the clients' writes.
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { asOwner } from "./databases";
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

/** Returns whether all standbys follow. Patroni lists one that was lost until its `ttl` expires, so the primary is asked, too. */
async function isRedundant(world: Pick<World, "cluster">): Promise<boolean> {
  const { databases } = world.cluster;
  if (!(await databases.isHealthy())) return false;
  const { rows } = await asOwner(world, (owner) =>
    owner.query("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'"),
  );
  const isSynchronous = rows.some(({ sync_state }) => sync_state === "sync" || sync_state === "quorum");
  return isSynchronous && rows.length === databases.names.length - 1;
}

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
  const began = performance.now();
  let waiting: Waiting | null = null;
  const readState = async () => {
    waiting ??= await listWaiting();
    const counts = await countWaiting(waiting);
    return { ...counts, isRedundant: await isRedundant({ cluster }), hasService: hasService() };
  };
  const healed = { replication: 0, webhooks: 0, unsealed: 0, isRedundant: true, hasService: true };
  for (;;) {
    const state = await readState().catch(String);
    const passed = performance.now() - began;
    if (passed > limitMs) throw new Error(`not healed after ${Math.round(passed / 1_000)} s: ${JSON.stringify(state)}`);
    if (isDeepStrictEqual(state, healed)) return;
    await setTimeout(POLL_MS);
  }
}

/** Waits until nothing waits any more. The clients must have stopped. */
export async function untilQuiet(limitMs: number): Promise<void> {
  const quiet = { replication: [], webhooks: [], unsealed: 0 };
  await expect.poll(listWaiting, { timeout: limitMs, interval: 200 }).toEqual(quiet);
}
