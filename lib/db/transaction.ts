import { AsyncLocalStorage } from "node:async_hooks";
import { pool } from "./pool";
import { type Db, PgDb, toOverloaded } from "./sql";

declare const inTransaction: unique symbol;
/** A Db bound to one open transaction. */
export type Tx = Db & { readonly [inTransaction]: true };

type CommitHook = (tx: Tx) => Promise<void>;
const commitHooks = new AsyncLocalStorage<CommitHook[]>();

/** Serialisation failure and deadlock: the transaction did nothing and may simply run again. */
const RETRYABLE = new Set(["40001", "40P01"]);
const ATTEMPTS = 4;

/**
 * Runs `work` in one transaction: commits what it did, or nothing where it throws. With `rollback`, what it did is undone
 * after it returned (a dry run takes the same way as the real one, and writes nothing: invariant 5).
 */
export async function transaction<T>(work: (tx: Tx) => Promise<T>, options: { rollback?: boolean } = {}): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptTransaction(work, options.rollback ?? false);
    } catch (error) {
      if (attempt === ATTEMPTS || !RETRYABLE.has((error as { code?: string }).code ?? "")) throw error;
    }
  }
}

async function attemptTransaction<T>(work: (tx: Tx) => Promise<T>, rollback: boolean): Promise<T> {
  const client = await pool()
    .connect()
    .catch((error: unknown) => {
      throw toOverloaded(error) ?? error;
    });
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    const tx = new PgDb(client) as Db as Tx;
    const result = await work(tx);
    const hooks = rollback ? [] : (commitHooks.getStore() ?? []);
    for (const hook of hooks) await hook(tx);
    await client.query(rollback ? "ROLLBACK" : "COMMIT");
    hooks.length = 0;
    return result;
  } catch (error) {
    // A connection whose rollback fails is thrown away, never handed to the next request inside a transaction.
    await client.query("ROLLBACK").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Runs `work` so that the first transaction it commits also runs `hook`, just before the commit: what the hook writes
 * and what the command writes stand or fall together. Nothing in between has to hand the hook on.
 */
export function withCommitHook<T>(hook: CommitHook, work: () => Promise<T>): Promise<T> {
  return commitHooks.run([hook], work);
}
