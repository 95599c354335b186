import { isoNow } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";

/** Cancels events that were published just as their subscription ended, which would never be delivered. */
export async function cancelEndedEvents(): Promise<void> {
  await db.run(sql`
    UPDATE published_event e SET delivery = 'canceled', modified_date = ${isoNow()}
    FROM subscription s WHERE s.id = e.subscription_id AND s.deleted_date IS NOT NULL AND e.delivery = 'pending'`);
}
