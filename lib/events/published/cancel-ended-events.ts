import { isoNow } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";

/** Cancels what was published at the very moment its subscription was ended: nobody delivers it any more. */
export async function cancelEndedEvents(): Promise<void> {
  await db.run(sql`
    UPDATE published_event e SET delivery = 'canceled', modified_date = ${isoNow()}
    FROM subscription s WHERE s.id = e.subscription_id AND s.deleted_date IS NOT NULL AND e.delivery = 'pending'`);
}
