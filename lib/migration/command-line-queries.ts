import { type Db, db, sql } from "@/lib/db/sql";
import type { Difference } from "./rules/differences";
import { RUN_COLUMNS } from "./run-queries";
import type { RunRow } from "./schema/run";

/**
 * Runs of a file, by its name and its content, or of the practice's own records, that wait for somebody to go on: cut short, failed, or checked and not decided on.
 * Newest first.
 */
export async function listRunsToResume(
  read: Db,
  practiceId: number,
  { name, fingerprint }: { name: string; fingerprint: string | null },
): Promise<RunRow[]> {
  return read.rows<RunRow>(sql`
    SELECT ${RUN_COLUMNS} FROM migration_run
    WHERE practice_id = ${practiceId} AND source_name = ${name}
      AND source_fingerprint IS NOT DISTINCT FROM ${fingerprint}::text
      AND (state IN ('reading', 'checking', 'checked', 'converting')
        OR (state = 'failed' AND stopped_in IN ('reading', 'checking', 'converting')))
    ORDER BY id DESC`);
}

/** Records after this number in which verifying found differences. */
export async function listDifferences(
  runId: number,
  { after, limit }: { after: number; limit: number },
): Promise<{ number: number; line: number; patient: string | null; differences: Difference[] }[]> {
  return db.rows(sql`
    SELECT number, line, external_id AS patient, differences FROM migration_record
    WHERE run_id = ${runId} AND state = 'different' AND number > ${after} ORDER BY number LIMIT ${limit}`);
}

/** The practices that have runs. */
export async function listPracticesWithRuns(): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(sql`SELECT DISTINCT practice_id AS id FROM migration_run ORDER BY 1`);
  return rows.map(({ id }) => id);
}
