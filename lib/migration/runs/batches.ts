import { pool } from "@/lib/platform/db/pool";
import { type Db, db, sql } from "@/lib/platform/db/sql";
import { log, originIds } from "@/lib/platform/log";
import type { RunRow, WorkOptions } from "./schema";

/** A prepared batch, and the number of the last record it covers. */
export interface Prepared<T> {
  batch: T;
  last: number;
}

/**
 * Prepares batches in order, one ahead: the next batch is prepared while the caller writes the current one. `prepare` must
 * only read, because the caller may stop before the batch that is prepared.
 *
 * @param prepare prepares the first batch after a number; returns null after the last batch
 */
export function prepareAhead<T>(
  after: number,
  prepare: (after: number) => Promise<Prepared<T> | null>,
): AsyncGenerator<Prepared<T>> {
  return oneAhead(prepare(after), (current) => prepare(current.last));
}

/**
 * Adds a step to the preparation of batches. While the caller writes a batch, the next one is in this step, and the one after that is in
 * the previous step.
 */
export function thenAhead<A, B>(
  batches: AsyncGenerator<Prepared<A>>,
  prepare: (batch: A) => Promise<B>,
): AsyncGenerator<Prepared<B>> {
  const next = async () => {
    const { value, done } = await batches.next();
    return done ? null : { batch: await prepare(value.batch), last: value.last };
  };
  return oneAhead(next(), next, () => batches.return(undefined));
}

async function* oneAhead<T>(
  first: Promise<Prepared<T> | null>,
  prepare: (current: Prepared<T>) => Promise<Prepared<T> | null>,
  end: () => Promise<unknown> = async () => {},
): AsyncGenerator<Prepared<T>> {
  // A failure counts when the batch is due.
  const ignore = () => {};
  let next = first;
  next.catch(ignore);
  try {
    for (;;) {
      const current = await next;
      if (current === null) return;
      next = prepare(current);
      next.catch(ignore);
      yield current;
    }
  } finally {
    await next.catch(ignore);
    await end();
  }
}

/** Thrown inside a batch to roll it back, because the work was stopped after the batch before it. */
class Stopped extends Error {
  constructor(readonly run: RunRow) {
    super("the work was stopped");
  }
}

/**
 * Connections that overlapping batches need. A worker has two runs, and the next batch of each holds a connection while it waits. The
 * batch before it may need another to write its records again, one by one.
 */
const MIN_POOL_SIZE = 3;

/**
 * Writes prepared batches in order, two at once: while one commits, the statements of the next already run in another transaction. With a
 * smaller pool, one at a time.
 *
 * @param begin writes what can't wait for the previous batch, and returns the promise of the transaction (`workBatch`) in an object
 * @returns the run after the last batch, or after the last one that committed before the signal
 */
export async function writeOverlapping<T>(
  run: RunRow,
  batches: AsyncGenerator<Prepared<T>>,
  begin: (previous: Promise<RunRow>, prepared: Prepared<T>) => Promise<{ writing: Promise<RunRow> }>,
  { signal, onProgress }: WorkOptions,
): Promise<RunRow> {
  const unlessStopped = (written: RunRow) => {
    if (signal?.aborted) throw new Stopped(written);
    return written;
  };
  const ignore = () => {};
  let latest = Promise.resolve(run).then(unlessStopped);
  latest.catch(ignore);
  try {
    for await (const prepared of batches) {
      const earlier = latest;
      if (pool().options.max < MIN_POOL_SIZE) await earlier;
      const { writing } = await begin(earlier, prepared);
      latest = writing.then((written) => {
        onProgress?.(written);
        return unlessStopped(written);
      });
      latest.catch(ignore);
      await earlier;
    }
    return await latest;
  } catch (error) {
    // If the earlier batch failed, the latest fails too.
    await latest.catch(ignore);
    if (error instanceof Stopped) return error.run;
    throw error;
  }
}

/** The number of records from which outdated statistics cost more than new ones. */
const MANY_RECORDS = 1_000;

/**
 * Updates the planner's statistics after a stage of a large run that filled the tables which the next one and decisions of staff read.
 * Without statistics, PostgreSQL reads these tables whole for each batch.
 */
export async function refreshRunStatistics(run: Pick<RunRow, "id" | "total" | "origin">, read: Db = db): Promise<void> {
  if (run.total < MANY_RECORDS) return;
  await read
    .run(sql`SELECT refresh_migration_statistics()`)
    .catch((err: unknown) =>
      log.warn({ err, run: run.id, ...originIds(run.origin) }, "could not update the statistics for a migration run"),
    );
}
