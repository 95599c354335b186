import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { OutcomeUnknownError, OverloadedError } from "@/lib/platform/errors";
import { property } from "@/lib/platform/objects";
import { isLostConnection } from "./lost-connection.mjs";
import { pool } from "./pool";
import { type Query, QueryGroup, runQuery, wasSkipped } from "./prepared-query";
import {
  type BoundSql,
  type Db,
  dbOfWork,
  isReadOnly,
  PgDb,
  type Statement,
  sql,
  toOverloaded,
  violatedConstraint,
} from "./sql";
import { combineWrites } from "./writes";

/** A Db bound to one open transaction. PostgreSQL runs its statements in the order of the calls, even if the caller does not wait. */
export interface Tx extends Db {
  /**
   * Sends a statement without waiting for its result, so that it shares a round trip with the next ones. If it fails, so do the next
   * statement that is awaited and the commit, with its error. Consecutive writes with `fixed` text become one statement if they write
   * different tables.
   *
   * @param then gets the number of affected rows, before the commit ends
   */
  send(statement: Statement<unknown>, then?: (affected: number) => void): void;
  /** Waits for the statements that were sent, and throws the error of the first that failed. */
  settle(): Promise<void>;
  /**
   * Runs `work` behind a savepoint. If it fails, what it wrote is undone and the transaction goes on.
   *
   * @returns the error of `work`, or null
   * @throws the error of a statement sent before `work`, or of a lost connection
   */
  attempt(work: () => Promise<void>): Promise<{ error: unknown } | null>;
}

/** What a transaction read early, because the read shared a round trip with another statement. Taken once: a later reader asks again. */
export class Preloaded<T> {
  readonly #rows = new WeakMap<Tx, T>();

  put(tx: Tx, rows: T): void {
    this.#rows.set(tx, rows);
  }

  take(tx: Tx): T | null {
    const rows = this.#rows.get(tx) ?? null;
    this.#rows.delete(tx);
    return rows;
  }
}

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
  // Reads of a replica would not see what the transaction writes.
  dbOfWork.getStore()?.leave();
  const client = await pool().connect().catch(throwOverloaded);
  // The pool only listens to idle connections, and an error without a listener ends the process. A lost connection fails the current or
  // the next statement anyway.
  client.on("error", ignore);
  let broken: Error | undefined;
  const tx = new PgTx(client);
  try {
    const callbacks: (() => void)[] = [];
    afterCommits.set(tx, callbacks);
    await assumptions.getStore()?.(requireRollback(tx, rollback));
    const result = await work(tx);
    const hooks = rollback ? [] : (commitHooks.getStore() ?? []);
    for (const hook of hooks) await hook(tx);
    if (rollback) await tx.run(sql`ROLLBACK`);
    else await tx.commit();
    hooks.length = 0;
    if (!rollback) for (const callback of callbacks) callback();
    return result;
  } catch (error) {
    // A connection whose rollback fails is closed, because the next request would get it inside a transaction.
    await tx.rollBack().catch((failure: Error) => {
      broken = failure;
    });
    if (isReadOnly(error)) broken ??= error as Error;
    throw error;
  } finally {
    client.off("error", ignore);
    client.release(broken);
  }
}

/** A transaction on a pipelined connection. The statements of one turn of the event loop are sent at once, and so are their results. */
class PgTx extends PgDb implements Tx {
  readonly #client: pg.ClientBase;
  /** The statements of this turn. */
  #group: QueryGroup | undefined;
  /** Statements whose results nobody has awaited yet. */
  #sent: Promise<unknown>[] = [];
  /** The error of the first statement that failed. PostgreSQL skips all statements after it. */
  #failure: unknown;
  /** Writes that become one statement, and their tables. */
  #writes: BoundSql[] = [];
  #tables = new Set<string>();
  /** The write whose affected rows are counted. */
  #counted: { write: BoundSql; then: (affected: number) => void } | undefined;

  constructor(client: pg.ClientBase) {
    super(client);
    this.#client = client;
    this.send(sql`BEGIN`);
  }

  send(statement: Statement<unknown>, then?: (affected: number) => void): void {
    if (!("writes" in statement && statement.writes)) {
      this.#sendWrites();
      this.#send(statement, then);
      return;
    }
    const { writes: tables } = statement;
    if ((then && this.#counted) || tables.some((table) => this.#tables.has(table))) this.#sendWrites();
    for (const table of tables) this.#tables.add(table);
    if (then) this.#counted = { write: statement, then };
    else this.#writes.push(statement);
  }

  #sendWrites(): void {
    const [writes, counted] = [this.#writes, this.#counted];
    if (counted) writes.push(counted.write);
    if (writes.length === 0) return;
    this.#writes = [];
    this.#tables.clear();
    this.#counted = undefined;
    this.#send(combineWrites(writes), counted?.then);
  }

  #send(statement: Statement<unknown>, then?: (affected: number) => void): void {
    const sent = this.#run(statement);
    const result = then ? sent.then(({ rowCount }) => then(rowCount ?? 0)) : sent;
    result.catch(ignore);
    this.#sent.push(result);
  }

  protected override async query(statement: Statement<unknown>): Promise<pg.QueryResult> {
    this.#sendWrites();
    const result = this.#run(statement);
    result.catch(ignore);
    await this.settle();
    return result;
  }

  /** Runs a statement. A skipped statement throws the original error, because its caller may see it first. */
  #run(statement: Statement<unknown>): Promise<pg.QueryResult> {
    return super.query(statement).catch((error: unknown) => {
      if (!wasSkipped(error)) this.#failure ??= error;
      throw this.#failure ?? error;
    });
  }

  async attempt(work: () => Promise<void>): Promise<{ error: unknown } | null> {
    this.#sendWrites();
    const before = this.#sent;
    this.#sent = [];
    this.send(sql`SAVEPOINT attempt`);
    const failure = await this.#settleAfter(work, sql`RELEASE SAVEPOINT attempt`);
    // The first failed statement fails all that follow, so its error is the one to throw.
    await Promise.all(before);
    if (!failure) return null;
    await this.run(sql`ROLLBACK TO SAVEPOINT attempt`);
    this.#failure = undefined;
    return failure;
  }

  async #settleAfter(work: () => Promise<void>, last: Statement<unknown>): Promise<{ error: unknown } | null> {
    try {
      await work();
      await this.run(last);
      return null;
    } catch (error) {
      await this.settle().catch(ignore);
      return { error };
    }
  }

  /**
   * Commits the transaction in one round trip with the statements sent before.
   *
   * @throws OutcomeUnknownError if the connection was lost. A rejected commit changed nothing; one without a response may have succeeded
   */
  async commit(): Promise<void> {
    const { command } = await this.query(sql`COMMIT`).catch((error: unknown) => {
      const cause = error instanceof OverloadedError ? error.cause : error;
      throw isLostConnection(cause) ? new OutcomeUnknownError(cause) : error;
    });
    // PostgreSQL rolls back at a COMMIT after a failed statement, and reports it only here.
    if (command !== "COMMIT") throw new Error("a failed statement was ignored, so the transaction was rolled back");
  }

  async settle(): Promise<void> {
    this.#sendWrites();
    const sent = this.#sent;
    this.#sent = [];
    await Promise.all(sent);
  }

  /** Rolls back after a failure. */
  async rollBack(): Promise<void> {
    // Otherwise, PostgreSQL would answer it in the middle of the group.
    this.#group?.end();
    await this.#client.query("ROLLBACK");
  }

  protected override execute(config: Query): Promise<pg.QueryResult> {
    return runQuery(this.#client, config, this.#openGroup());
  }

  #openGroup(): QueryGroup | undefined {
    if (!(this.#client instanceof pg.Client)) return undefined;
    if (!this.#group?.isOpen) {
      const group = new QueryGroup(this.#client);
      this.#group = group;
      process.nextTick(() => group.end());
    }
    return this.#group;
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
