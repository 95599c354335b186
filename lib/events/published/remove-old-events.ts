import { clock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { KEPT_DAYS } from "./rules";

const AT_ONCE = 5_000;

/** Deletes events and their attempts 30 days after the change. Events that are being sent are kept until they settle. */
export async function removeOldPublishedEvents(): Promise<void> {
  const limit = new Date(clock.now().getTime() - KEPT_DAYS * 86_400_000);
  for (let removed = AT_ONCE; removed === AT_ONCE; ) {
    removed = await db.run(sql`
      DELETE FROM published_event WHERE id IN (
        SELECT id FROM published_event WHERE created_date < ${limit} AND delivery <> 'sending' LIMIT ${AT_ONCE})`);
  }
}
