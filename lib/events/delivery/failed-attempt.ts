import { type Sql, sql } from "@/lib/platform/db/sql";

/**
 * The state of an event `e` of a subscription `s` after a failed attempt: `next` (pending or failed), unless the subscription has
 * ended or the client has reported the event as processed meanwhile.
 */
export function stateAfterFailure(next: Sql): Sql {
  return sql`CASE WHEN s.deleted_date IS NOT NULL THEN 'canceled'::delivery_state
    WHEN e.reported_date IS NOT NULL AND e.processed_date IS NOT NULL AND coalesce(e.error_content, '') = '' THEN 'delivered' ELSE ${next} END`;
}

/** When such an event failed for good: `now` if it just did. */
export function failedDate(next: Sql, now: Date): Sql {
  return sql`CASE WHEN ${stateAfterFailure(next)} = 'failed' THEN ${now}::timestamptz ELSE e.failed_date END`;
}
