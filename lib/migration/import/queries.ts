import type { ImportCounters, Refusal } from "@/lib/migration/record/schema";
import { type Db, sql } from "@/lib/platform/db/sql";

/** A run of an import that has not ended: where it stands. */
export interface OpenRun {
  id: number;
  lines_done: number;
  counters: ImportCounters;
  refused: Refusal[];
}

/**
 * The run of this file into this practice that was cut short, or null. Waits for a last batch of it that a killed process
 * left with the database: whether that is committed has to be known first.
 */
export async function findOpenRun(read: Db, practiceId: number, fingerprint: string): Promise<OpenRun | null> {
  return read.first<OpenRun>(sql`
    SELECT id, lines_done, counters, refused FROM import_run
    WHERE practice_id = ${practiceId} AND fingerprint = ${fingerprint} AND finished_date IS NULL
    ORDER BY id DESC LIMIT 1 FOR UPDATE`);
}

/** How far a run is, locked for the rest of the transaction. */
export async function lockRun(tx: Db, runId: number): Promise<number | null> {
  const run = await tx.first<{ lines_done: number }>(
    sql`SELECT lines_done FROM import_run WHERE id = ${runId} FOR UPDATE`,
  );
  return run?.lines_done ?? null;
}
