import { clock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";

const DAY_MS = 86_400_000;
/** Age of an abandoned upload. */
const ABANDONED_DAYS = 7;

/** Parts of 4 MiB to delete per statement, which has a time limit. */
const PARTS_AT_ONCE = 32;

/** Deletes the uploaded files of runs that have read them, or were cancelled. */
export async function removeReadUploads(): Promise<void> {
  let removed: number;
  do {
    removed = await db.run(sql`
      DELETE FROM migration_part WHERE (run_id, part) IN (
        SELECT p.run_id, p.part FROM migration_part p JOIN migration_run m ON m.id = p.run_id
        WHERE m.state NOT IN ('uploading', 'reading') AND (m.state <> 'failed' OR m.stopped_in <> 'reading')
        LIMIT ${PARTS_AT_ONCE})`);
  } while (removed > 0);
}

/** Cancels abandoned uploads. */
export async function removeOldUploads(): Promise<void> {
  const before = new Date(clock.now().getTime() - ABANDONED_DAYS * DAY_MS).toISOString();
  await db.run(sql`
    UPDATE migration_run SET state = 'cancelled', stopped_in = 'uploading', changed_date = ${clock.now()}
    WHERE state = 'uploading' AND changed_date < ${before}`);
}
