import type pg from "pg";
import { ConflictError } from "@/lib/platform/errors";
import { closeClient } from "./client.mjs";
import { openSession } from "./session";
import { toOverloaded } from "./sql";

const RETRY_MS = 200;
/** A primary that is cut off from the network does not respond. */
const RESPONSE_MS = 5_000;

/**
 * Resolves if the lock has been held since `work` began. A failover releases it unnoticed, so that another process can take it: ask before
 * anything that would do harm then.
 *
 * @throws OverloadedError it may be lost
 */
export type StillHeld = () => Promise<void>;

/**
 * Runs `work` under a named advisory lock, which PostgreSQL releases when the process ends, however it ends.
 *
 * @param task.shared takes a shared lock, which only excludes exclusive ones
 * @param task.waitMs how long to wait for the lock. PostgreSQL needs a moment to notice that its holder was killed
 * @throws ConflictError with the message `task.taken` if another process holds the lock
 * @throws OverloadedError the database can't be reached
 */
export async function withAdvisoryLock<T>(
  task: { name: string; taken: string; waitMs: number; shared?: boolean },
  work: (stillHeld: StillHeld) => Promise<T>,
): Promise<T> {
  // A separate connection, because it is held for long and the pool may have only one.
  const client = await openSession().catch(throwOverloaded);
  try {
    const end = performance.now() + task.waitMs;
    while (!(await tryLock(client, task))) {
      if (performance.now() > end) throw new ConflictError("already_running", task.taken);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    return await work(async () => void (await ask(client, "SELECT 1")));
  } finally {
    await closeClient(client);
  }
}

async function tryLock(client: pg.Client, { name, shared }: { name: string; shared?: boolean }): Promise<boolean> {
  const lock = shared ? "pg_try_advisory_lock_shared" : "pg_try_advisory_lock";
  const [row] = await ask(client, `SELECT ${lock}(hashtextextended($1, 0)) AS taken`, [name]);
  return row.taken;
}

/** Runs a statement. */
async function ask(client: pg.Client, text: string, values: string[] = []) {
  const query = { text, values, query_timeout: RESPONSE_MS };
  const { rows } = await client.query(query).catch(throwOverloaded);
  return rows;
}

/** Reports connection errors as temporary, as all other statements do. */
function throwOverloaded(error: unknown): never {
  throw toOverloaded(error) ?? error;
}
