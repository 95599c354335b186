import { type Db, db, sql } from "@/lib/platform/db/sql";
import { log } from "@/lib/platform/log";
import type { RunRow } from "./schema";

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
export async function* prepareAhead<T>(
  after: number,
  prepare: (after: number) => Promise<Prepared<T> | null>,
): AsyncGenerator<Prepared<T>> {
  const start = (from: number) => {
    const preparing = prepare(from);
    // A failure counts when the batch is due.
    preparing.catch(() => {});
    return preparing;
  };
  let next = start(after);
  try {
    for (;;) {
      const current = await next;
      if (current === null) return;
      next = start(current.last);
      yield current;
    }
  } finally {
    await next.catch(() => {});
  }
}

/** The number of records from which outdated statistics cost more than new ones. */
const MANY_RECORDS = 1_000;

/**
 * Updates the planner's statistics before a stage of a large run. The stages before have just filled the tables that it
 * reads, and without statistics PostgreSQL reads them whole for each batch.
 */
export async function refreshRunStatistics(run: Pick<RunRow, "id" | "total">, read: Db = db): Promise<void> {
  if (run.total < MANY_RECORDS) return;
  await read
    .run(sql`SELECT refresh_migration_statistics()`)
    .catch((err: unknown) => log.warn({ err, run: run.id }, "could not update the statistics for a migration run"));
}
