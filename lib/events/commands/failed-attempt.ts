import { type Sql, sql } from "@/lib/db/sql";

/**
 * The state of an event `e` of a subscription `s` whose attempt came to no good end: `next` (pending or failed), unless its
 * subscription has ended or is paused, or the client has reported it as processed meanwhile.
 */
export function stateAfterFailure(next: Sql): Sql {
  return sql`CASE WHEN s.deleted_date IS NOT NULL THEN 'canceled'
    WHEN e.reported_date IS NOT NULL AND e.processed_date IS NOT NULL AND coalesce(e.error_content, '') = '' THEN 'delivered'
    WHEN s.paused_date IS NOT NULL AND ${next} = 'pending' THEN 'held' ELSE ${next} END`;
}
