import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import { OutcomeUnknownError, OverloadedError } from "@/lib/platform/errors";
import { property } from "@/lib/platform/objects";
import { pool } from "./pool";
import { type Db, isLostConnection, PgDb, toOverloaded, violatedConstraint } from "./sql";

declare const inTransaction: unique symbol;
/** A Db bound to one open transaction. */
export type Tx = Db & { readonly [inTransaction]: true };

type CommitHook = (tx: Tx) => Promise<void>;
const commitHooks = new AsyncLocalStorage<CommitHook[]>();

const assumptions = new AsyncLocalStorage<CommitHook>();

const afterCommits = new WeakMap<Tx, (() => void)[]>();

/** Does something once a transaction is committed, and never where it is undone. It must not throw. */
export function afterCommit(tx: Tx, work: () => void): void {
  afterCommits.get(tx)?.push(work);
}

/** Serialization failure and deadlock: the transaction did nothing and may simply run again. */
const RETRYABLE: ReadonlySet<unknown> = new Set(["40001", "40P01"]);
const ATTEMPTS = 6;
/** Longest pause before the second attempt, before the third twice as long: those who met do not meet again. */
const PAUSE_MS = 20;

/** Whether a transaction failed only because of others at work: it did nothing, and running it again may succeed. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(property(error, "code"));
}

/**
 * Runs `work` in one transaction: commits what it did, or nothing where it throws. With `rollback`, what it did is undone
 * after it returned (a dry run takes the same way as the real one, and writes nothing: invariant 5).
 *
 * @throws OverloadedError where the connection was late or lost, or others were at work each time: nothing was done
 * @throws OutcomeUnknownError where it was lost during the commit
 */
export async function transaction<T>(work: (tx: Tx) => Promise<T>, options: { rollback?: boolean } = {}): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptTransaction(work, options.rollback ?? false);
    } catch (error) {
      // Somebody else wrote between our look and our write: looked at again, it is there, and refused in its own words.
      const wasOvertaken = violatedConstraint(error) !== null && attempt === 1;
      if (!isRetryable(error) && !wasOvertaken) throw error;
      if (attempt === ATTEMPTS) throw new OverloadedError(error);
      await setTimeout(Math.random() * PAUSE_MS * attempt);
    }
  }
}

async function attemptTransaction<T>(work: (tx: Tx) => Promise<T>, rollback: boolean): Promise<T> {
  const client = await pool().connect().catch(throwOverloaded);
  // The pool listens to idle connections only: without a listener one that is lost in use would end the process. What
  // was lost shows in the statement that waits for it, or in the next.
  client.on("error", ignore);
  let broken: Error | undefined;
  try {
    await client.query("BEGIN").catch(throwOverloaded);
    const tx = new PgDb(client) as Db as Tx;
    const after: (() => void)[] = [];
    afterCommits.set(tx, after);
    await assumptions.getStore()?.(requireRollback(tx, rollback));
    const result = await work(tx);
    const hooks = rollback ? [] : (commitHooks.getStore() ?? []);
    for (const hook of hooks) await hook(tx);
    if (rollback) await client.query("ROLLBACK").catch(throwOverloaded);
    else await client.query("COMMIT").catch(throwCommitFailure);
    hooks.length = 0;
    if (!rollback) for (const one of after) one();
    return result;
  } catch (error) {
    // A connection whose rollback fails is thrown away, never handed to the next request inside a transaction.
    await client.query("ROLLBACK").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off("error", ignore);
    client.release(broken);
  }
}

/** What is only assumed must never be kept. */
function requireRollback(tx: Tx, rollback: boolean): Tx {
  if (!rollback) throw new Error("a transaction that would be committed can't assume anything");
  return tx;
}

function ignore(): void {}

function throwOverloaded(error: unknown): never {
  throw toOverloaded(error) ?? error;
}

/** A commit that PostgreSQL refuses did nothing; one whose answer never came may have been done. */
function throwCommitFailure(error: unknown): never {
  if (isLostConnection(error)) throw new OutcomeUnknownError(error);
  throwOverloaded(error);
}

/**
 * Runs `work` so that the first transaction it commits also runs `hook`, just before the commit: what the hook writes
 * and what the command writes stand or fall together. Nothing in between has to hand the hook on.
 */
export function withCommitHook<T>(hook: CommitHook, work: () => Promise<T>): Promise<T> {
  return commitHooks.run([hook], work);
}

/**
 * Runs `work`, a dry run, as if something else held: each transaction in it begins with `assume`, which writes what is
 * assumed, and all of it is rolled back with the rest.
 *
 * @throws Error where a transaction in it would be committed
 */
export function withAssumption<T>(assume: (tx: Tx) => Promise<void>, work: () => Promise<T>): Promise<T> {
  return assumptions.run(assume, work);
}
