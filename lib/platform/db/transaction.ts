import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import { OutcomeUnknownError, OverloadedError } from "@/lib/platform/errors";
import { property } from "@/lib/platform/objects";
import { type Db, isLostConnection, PgDb, pool, toOverloaded, violatedConstraint } from "./sql";

declare const inTransaction: unique symbol;
/** A Db bound to one open transaction. */
export type Tx = Db & { readonly [inTransaction]: true };

type CommitHook = (tx: Tx) => Promise<void>;
const commitHooks = new AsyncLocalStorage<CommitHook[]>();

const assumptions = new AsyncLocalStorage<CommitHook>();

const afterCommits = new WeakMap<Tx, (() => void)[]>();

/** Calls `work` after the transaction is committed, but not if it is rolled back. `work` must not throw. */
export function afterCommit(tx: Tx, work: () => void): void {
  afterCommits.get(tx)?.push(work);
}

/** Serialization failure and deadlock: the transaction changed nothing and can run again. */
const RETRYABLE: ReadonlySet<unknown> = new Set(["40001", "40P01"]);
const ATTEMPTS = 6;
/** Longest pause before the second attempt, twice as long before the third, so that the same transactions don't collide again. */
const MAX_PAUSE_MS = 20;

/** Returns whether a transaction failed only because of concurrent ones. It changed nothing and can run again. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(property(error, "code"));
}

/**
 * Runs `work` in one transaction, which is committed unless `work` throws. With `rollback`, it is rolled back in any case: a dry run takes
 * the same path as the real one, but writes nothing (invariant 5).
 *
 * @throws OverloadedError if the connection was late or lost, or other transactions collided each time. Nothing was changed
 * @throws OutcomeUnknownError if the connection was lost during the commit
 */
export async function transaction<T>(work: (tx: Tx) => Promise<T>, options: { rollback?: boolean } = {}): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptTransaction(work, options.rollback ?? false);
    } catch (error) {
      // Another transaction inserted the row after we checked. The second attempt finds it and fails with a proper error.
      const wasOvertaken = violatedConstraint(error) !== null && attempt === 1;
      if (!isRetryable(error) && !wasOvertaken) throw error;
      if (attempt === ATTEMPTS) throw new OverloadedError(error);
      await setTimeout(Math.random() * MAX_PAUSE_MS * attempt);
    }
  }
}

async function attemptTransaction<T>(work: (tx: Tx) => Promise<T>, rollback: boolean): Promise<T> {
  const client = await pool().connect().catch(throwOverloaded);
  // The pool only listens to idle connections, and an error without a listener ends the process. A lost connection fails the current or
  // the next statement anyway.
  client.on("error", ignore);
  let broken: Error | undefined;
  try {
    await client.query("BEGIN").catch(throwOverloaded);
    const tx = new PgDb(client) as Db as Tx;
    const callbacks: (() => void)[] = [];
    afterCommits.set(tx, callbacks);
    await assumptions.getStore()?.(requireRollback(tx, rollback));
    const result = await work(tx);
    const hooks = rollback ? [] : (commitHooks.getStore() ?? []);
    for (const hook of hooks) await hook(tx);
    if (rollback) await client.query("ROLLBACK").catch(throwOverloaded);
    else await client.query("COMMIT").catch(throwCommitFailure);
    hooks.length = 0;
    if (!rollback) for (const callback of callbacks) callback();
    return result;
  } catch (error) {
    // A connection whose rollback fails is closed, because the next request would get it inside a transaction.
    await client.query("ROLLBACK").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off("error", ignore);
    client.release(broken);
  }
}

/** Makes sure that an assumption is never committed. */
function requireRollback(tx: Tx, rollback: boolean): Tx {
  if (!rollback) throw new Error("an assumption can't be committed");
  return tx;
}

function ignore(): void {}

function throwOverloaded(error: unknown): never {
  throw toOverloaded(error) ?? error;
}

/** A rejected commit changed nothing. A commit without a response may have succeeded. */
function throwCommitFailure(error: unknown): never {
  if (isLostConnection(error)) throw new OutcomeUnknownError(error);
  throwOverloaded(error);
}

/**
 * Runs `work` so that the first transaction it commits also runs `hook`, just before the commit. What the hook writes is committed or
 * rolled back together with the rest.
 */
export function withCommitHook<T>(hook: CommitHook, work: () => Promise<T>): Promise<T> {
  return commitHooks.run([hook], work);
}

/**
 * Runs a dry run under an assumption: each of its transactions starts with `assume`, whose writes are rolled back with the rest.
 *
 * @throws Error if one of its transactions would be committed
 */
export function withAssumption<T>(assume: (tx: Tx) => Promise<void>, work: () => Promise<T>): Promise<T> {
  return assumptions.run(assume, work);
}
