import { clientNameOf } from "@/lib/access/clients/queries";
import { DELIVERIES } from "@/lib/events/published/queries";
import type { Row } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";

/** The state of a subscription's deliveries. */
export interface SubscriptionHealth
  extends Row<"subscription", "id" | "resource" | "target" | "failing_since" | "paused_date"> {
  client_name: string;
  /** Events to be delivered, including those that wait for the subscription to be resumed. */
  open: number;
  /** Events that failed for good. */
  failed: number;
}

/** Lists every subscription with its deliveries, failing ones first. For command-line programs: it checks no rights. */
export async function listSubscriptionHealth(): Promise<SubscriptionHealth[]> {
  return db.rows<SubscriptionHealth>(sql`
    SELECT s.id, ${clientNameOf(sql`s.client_id`)} AS client_name, s.resource, s.target, s.failing_since, s.paused_date,
      count(e.id) FILTER (WHERE ${DELIVERIES.waiting}) AS open,
      count(e.id) FILTER (WHERE ${DELIVERIES.undelivered}) AS failed
    FROM subscription s LEFT JOIN published_event e ON e.subscription_id = s.id AND e.delivery <> 'delivered'
    WHERE s.deleted_date IS NULL GROUP BY s.id
    ORDER BY s.paused_date NULLS LAST, s.failing_since NULLS LAST, s.id`);
}

/** An attempt to deliver an event. Without a duration it is in progress, or its sender was killed. */
export type AttemptRow = Omit<Row<"webhook_attempt">, "published_event_id">;

/** Lists the attempts to deliver an event, oldest first. For command-line programs: it checks no rights. */
export async function listAttempts(eventId: number): Promise<AttemptRow[]> {
  return db.rows<AttemptRow>(sql`
    SELECT a.number, a.started_date, a.duration_ms, a.status_code, a.error
    FROM webhook_attempt a JOIN published_event e ON e.id = a.published_event_id
    WHERE e.event_id = ${eventId} ORDER BY a.number`);
}
