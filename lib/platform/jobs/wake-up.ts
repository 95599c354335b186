import pg from "pg";
import { isPoolOpen } from "@/lib/platform/db/pool";
import { openSession } from "@/lib/platform/db/session";
import { db, sql, toOverloaded } from "@/lib/platform/db/sql";
import { log } from "@/lib/platform/log";
import { processWide } from "@/lib/platform/objects";
import type { Background } from "./background";

/** The name of a background job. It is also the channel on which PostgreSQL notifies the job in other processes. */
export type Job = `crosswalk_${string}`;

/** The shortest time between two notifications of a process. */
const NOTIFY_INTERVAL_MS = 10;
const RECONNECT_MS = 1_000;

interface State {
  /** What wakes the jobs of this process. */
  wakers: Map<Job, Set<() => void>>;
  /** Jobs of other processes that are notified next. */
  due: Set<Job>;
  notified: number;
  timer: NodeJS.Timeout | undefined;
}

const state = () =>
  processWide<State>("crosswalkWakeUps", () => ({
    wakers: new Map(),
    due: new Set(),
    notified: Number.NEGATIVE_INFINITY,
    timer: undefined,
  }));

/** Registers what wakes a job of this process. Returns a function that removes it. */
export function onWakeUp(job: Job, wake: () => void): () => void {
  const { wakers } = state();
  const ofJob = wakers.get(job) ?? new Set();
  wakers.set(job, ofJob);
  ofJob.add(wake);
  return () => ofJob.delete(wake);
}

/**
 * Wakes a job, because it has work that is committed. If this process does not run the job, other processes are notified. A notification
 * can get lost, so jobs also look for work regularly.
 */
export function wakeUp(job: Job): void {
  if (!wakeHere(job)) notify(job);
}

function wakeHere(job: Job): boolean {
  const ofJob = state().wakers.get(job);
  for (const wake of ofJob ?? []) wake();
  return ofJob !== undefined && ofJob.size > 0;
}

/**
 * Notifies other processes, at most every ten milliseconds. All commits that notify wait for each other, so this is never done in the
 * transaction of a write.
 */
function notify(job: Job): void {
  const current = state();
  current.due.add(job);
  if (current.timer) return;
  const restMs = current.notified + NOTIFY_INTERVAL_MS - performance.now();
  if (restMs <= 0) void sendDue();
  else current.timer = setTimeout(sendDue, restMs).unref();
}

async function sendDue(): Promise<void> {
  const current = state();
  const jobs = [...current.due];
  current.due.clear();
  current.timer = undefined;
  current.notified = performance.now();
  // A program that has ended its work must not connect again. Polling finds what it left.
  if (!isPoolOpen()) return;
  // Nothing is lost if PostgreSQL forgets a notification in a crash, so its commit need not wait for the disk.
  await db
    .run(
      sql`SELECT set_config('synchronous_commit', 'off', true), pg_notify(job, '') FROM unnest(${jobs}::text[]) AS job`,
    )
    .catch((error: unknown) =>
      log.warn({ err: error }, "background jobs were not notified and find their work by polling"),
    );
}

/**
 * Wakes these jobs of this process when other processes notify them. A connection that is lost, or can't be opened because the database is
 * not available, is opened again after a second.
 *
 * @throws if the database rejects the first connection
 */
export async function listenForWakeUps(jobs: readonly Job[]): Promise<Background> {
  let stopping = false;
  let retry: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;
  const connect = async () => {
    client = await openSession();
    if (stopping) return client.end();
    client.on("notification", ({ channel }) => wakeHere(channel as Job));
    client.on("error", (error) =>
      log.warn({ err: error }, "no longer listening for background work; polling continues"),
    );
    client.once("end", reconnectLater);
    await client.query(jobs.map((job) => `LISTEN ${pg.escapeIdentifier(job)}`).join("; "));
  };
  const fail = (error: unknown) => {
    log.warn({ err: error }, "could not listen for background work; will retry");
    void client?.end().catch(() => {});
    reconnectLater();
  };
  const reconnect = () => connect().then(() => jobs.forEach(wakeHere), fail);
  const reconnectLater = () => {
    clearTimeout(retry);
    if (!stopping) retry = setTimeout(reconnect, RECONNECT_MS).unref();
  };
  await connect().catch((error: unknown) => {
    // A machine of the database can start later than this one. Any other failure needs other settings.
    if (toOverloaded(error) === null) throw error;
    fail(error);
  });
  return {
    async stop() {
      stopping = true;
      clearTimeout(retry);
      await client?.end().catch(() => {});
    },
  };
}
