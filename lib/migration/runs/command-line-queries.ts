import type { Difference } from "@/lib/migration/plan/differences";
import { RUN_COLUMNS } from "@/lib/migration/runs/queries";
import type { RunRow } from "@/lib/migration/runs/schema";
import { type Db, db, sql } from "@/lib/platform/db/sql";

/**
 * Lists the runs that the command line can go on with, newest first: interrupted, failed, or checked and not decided on.
 *
 * @param of the file's name and content; the fingerprint is null for the practice's own records
 */
export async function listRunsToResume(
  read: Db,
  practiceId: number,
  { name, fingerprint }: { name: string; fingerprint: string | null },
): Promise<RunRow[]> {
  return read.rows<RunRow>(sql`
    SELECT ${RUN_COLUMNS} FROM migration_run
    WHERE practice_id = ${practiceId} AND source_name = ${name}
      AND source = ${fingerprint === null ? "practice" : "file"}
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
