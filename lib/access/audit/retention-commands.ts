import { daysAgo } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { db, sql } from "@/lib/platform/db/sql";
import { OverloadedError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";

const ATTEMPTS = 50;
const PAUSE_MS = 100;

/**
 * Removes the calendar years of the audit (UTC) that were sealed entirely before AUDIT_RETENTION_DAYS ago, the oldest first. If
 * AUDIT_ANCHORS is set, keeps a year until all of its blocks are anchored. Readers never queue behind a removal: while the audit is in
 * use, the removal retries for five seconds, then leaves the rest to the next call.
 *
 * @returns the removed years
 */
export async function removeOldAudit(): Promise<number[]> {
  const before = daysAgo(config().AUDIT_RETENTION_DAYS);
  const years: number[] = [];
  while (await isAnchored(before)) {
    const year = await removeYear(before);
    if (year === null) break;
    years.push(year);
    log.info({ year }, "removed a year of the audit");
  }
  return years;
}

/** Returns whether every block sealed before a time has an anchor, or anchors are off. */
async function isAnchored(before: string): Promise<boolean> {
  const { AUDIT_ANCHORS: destination } = config();
  if (destination === undefined) return true;
  const { isMissing } = await db.one<{ isMissing: boolean }>(sql`
    SELECT EXISTS (SELECT FROM audit_block WHERE sealed_date < ${before} AND id >
      coalesce((SELECT block_id FROM audit_anchor WHERE destination = ${destination}), 0)) AS "isMissing"`);
  return !isMissing;
}

async function removeYear(before: string): Promise<number | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await db.one<{ year: number | null }>(sql`SELECT remove_audit_year(${before}) AS year`)).year;
    } catch (error) {
      if (!(error instanceof OverloadedError) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
