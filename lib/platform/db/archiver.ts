import { db, sql } from "./sql";

/** Returns whether PostgreSQL's last attempt to archive its log failed; null if it archives nothing. Any role may see this. */
export async function isArchivingFailing(): Promise<boolean | null> {
  const { failing } = await db.one<{ failing: boolean | null }>(sql`
    SELECT CASE WHEN current_setting('archive_mode') <> 'off'
      THEN last_failed_time IS NOT NULL AND last_failed_time > coalesce(last_archived_time, '-infinity') END AS failing
    FROM pg_stat_archiver`);
  return failing;
}
