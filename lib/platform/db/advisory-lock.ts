import pg from "pg";
import { config } from "@/lib/platform/config";
import { ConflictError } from "@/lib/platform/errors";

const RETRY_MS = 200;

/**
 * Runs `work` while no other process does what has this name: a lock of the database's own, which ends with the process
 * that holds it, however that ends.
 *
 * @param task.shared others that share may be at it too: only one that does not share keeps them out, and is kept out
 * @param task.waitMs how long to wait for the other; a killed process's lock needs a moment to go
 * @throws ConflictError with `task.taken` for its message, where another process is still at it
 */
export async function withAdvisoryLock<T>(
  task: { name: string; taken: string; waitMs: number; shared?: boolean },
  work: () => Promise<T>,
): Promise<T> {
  // Not one of the pool: held for long, and a pool may be as small as one.
  const client = new pg.Client({ connectionString: config().DATABASE_URL, keepAlive: true });
  client.on("error", () => {});
  await client.connect();
  try {
    const end = performance.now() + task.waitMs;
    while (!(await tryLock(client, task))) {
      if (performance.now() > end) throw new ConflictError("already_running", task.taken);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    return await work();
  } finally {
    await client.end().catch(() => {});
  }
}

async function tryLock(client: pg.Client, { name, shared }: { name: string; shared?: boolean }): Promise<boolean> {
  const lock = shared ? "pg_try_advisory_lock_shared" : "pg_try_advisory_lock";
  const { rows } = await client.query(`SELECT ${lock}(hashtextextended($1, 0)) AS taken`, [name]);
  return rows[0].taken;
}
