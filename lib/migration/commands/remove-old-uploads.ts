import { clock } from "@/lib/clock";
import { db, sql } from "@/lib/db/sql";

const DAY_MS = 86_400_000;
/** An upload nobody went on with. */
const ABANDONED_DAYS = 7;
/** How long card images of a run that has ended are kept beside it: its policies have them, or it was given up. */
const ENDED_DAYS = 30;

/** Parts that are deleted at once, of 4 MiB each: a statement has its time limit. */
const PARTS_AT_ONCE = 32;

/** Forgets the uploaded files of runs that have read them, or were given up. */
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

/** Gives up uploads nobody went on with, and forgets the images of runs that have ended. */
export async function removeOldUploads(): Promise<void> {
  const before = (days: number) => new Date(clock.now().getTime() - days * DAY_MS).toISOString();
  await db.run(sql`
    UPDATE migration_run SET state = 'cancelled', stopped_in = 'uploading', changed_date = ${clock.now()}
    WHERE state = 'uploading' AND changed_date < ${before(ABANDONED_DAYS)}`);
  await db.run(sql`
    DELETE FROM migration_image i USING migration_run m
    WHERE m.id = i.run_id AND m.state IN ('cancelled', 'rolled_back', 'verified') AND m.changed_date < ${before(ENDED_DAYS)}`);
}
