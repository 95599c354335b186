import { type ImportCounters, importCounters, type Refusal } from "@/lib/migration/record/schema";
import { clock } from "@/lib/platform/clock";
import { db, json, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { ConflictError } from "@/lib/platform/errors";
import { findOpenRun, lockRun, type OpenRun } from "./queries";

/** Refusals a run keeps; all of them are counted. */
const KEPT_REFUSALS = 10_000;

/** The run of this file that was cut short, or a new one. */
export async function openRun(source: {
  practiceId: number;
  name: string;
  fingerprint: string;
}): Promise<{ run: OpenRun; resumed: boolean }> {
  const open = await findOpenRun(db, source.practiceId, source.fingerprint);
  if (open) return { run: { ...open, counters: importCounters.parse(open.counters) }, resumed: open.lines_done > 0 };
  const counters = importCounters.parse({});
  const created = await db.first<{ id: number }>(sql`
    INSERT INTO import_run (practice_id, source, fingerprint, counters, started_date)
    VALUES (${source.practiceId}, ${source.name}, ${source.fingerprint}, ${json(counters)}, ${clock.now()}) RETURNING id`);
  return { run: { id: (created as { id: number }).id, lines_done: 0, counters, refused: [] }, resumed: false };
}

/**
 * Locks a run for its next batch: the first statement of the batch's transaction.
 *
 * @throws ConflictError where another process has gone on with it in the meantime
 */
export async function requireRun(tx: Tx, run: OpenRun): Promise<void> {
  if ((await lockRun(tx, run.id)) !== run.lines_done) {
    throw new ConflictError("import_taken_over", "Another import has gone on with this file. Run it again.");
  }
}

/** Moves a run on, in the transaction that wrote the batch: both happen or neither does. */
export async function advanceRun(
  tx: Tx,
  run: OpenRun,
  batch: { lastLine: number; counters: ImportCounters; refusals: readonly Refusal[] },
): Promise<OpenRun> {
  const kept = batch.refusals.slice(0, Math.max(0, KEPT_REFUSALS - run.refused.length));
  await tx.run(sql`
    UPDATE import_run SET lines_done = ${batch.lastLine}, counters = ${json(batch.counters)},
      refused = refused || ${json(kept)}
    WHERE id = ${run.id}`);
  return { ...run, lines_done: batch.lastLine, counters: batch.counters, refused: [...run.refused, ...kept] };
}

/** Ends a run: the same file is then read from its first line again. */
export async function finishRun(run: OpenRun): Promise<void> {
  await db.run(sql`UPDATE import_run SET finished_date = ${clock.now()} WHERE id = ${run.id}`);
}
