import { type Db, sql } from "@/lib/db/sql";
import { RUN_COLUMNS } from "./run-queries";
import type { RunRow } from "./schema/run";

/**
 * Runs of a file, by name and size, that wait for somebody to go on: cut short, failed, or checked and not decided on.
 * Newest first.
 */
export async function listRunsToResume(
  read: Db,
  practiceId: number,
  { name, size }: { name: string; size: number },
): Promise<RunRow[]> {
  return read.rows<RunRow>(sql`
    SELECT ${RUN_COLUMNS} FROM migration_run
    WHERE practice_id = ${practiceId} AND source_name = ${name} AND source_size = ${size}
      AND (state IN ('reading', 'checking', 'checked', 'converting')
        OR (state = 'failed' AND stopped_in IN ('reading', 'checking', 'converting')))
    ORDER BY id DESC`);
}
