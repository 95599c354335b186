import { clientMayReach, clientNameOf } from "@/lib/access/clients/queries";
import type { Access } from "@/lib/access/identity/access";
import { clock } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { db, inList, sql } from "@/lib/platform/db/sql";
import type { SubscriptionHealth } from "./delivery-queries";
import { DELIVERIES } from "./queries";

/** Published events of a practice that may need attention. */
export interface FailedEvents {
  undelivered: number;
  rejected: number;
}

/** Counts the failed events of the caller's practices, by practice. Practices without any are omitted. */
export async function countFailedEvents(access: Access): Promise<Map<number, FailedEvents>> {
  const { undelivered, rejected } = DELIVERIES;
  const rows = await db.rows<FailedEvents & Row<"published_event", "practice_id">>(sql`
    SELECT e.practice_id, count(*) FILTER (WHERE ${undelivered}) AS undelivered,
      count(*) FILTER (WHERE ${rejected}) AS rejected
    FROM published_event e
    WHERE ${inList(sql`e.practice_id`, access.practices)} AND (${undelivered} OR ${rejected}) GROUP BY e.practice_id`);
  return new Map(rows.map(({ practice_id, ...counts }) => [practice_id, counts]));
}

/** A subscription that has failed for less time may recover with the next attempt. */
const PATIENCE_MS = 3_600_000;

/** A subscription that is paused, or whose attempts have all failed for an hour. */
export type TroubledSubscription = Omit<SubscriptionHealth, "failed"> & { practice_id: number };

/** Lists failing subscriptions of clients with access to the caller's practices: paused ones first, then the longest. */
export async function listTroubledSubscriptions(access: Access): Promise<TroubledSubscription[]> {
  const limit = new Date(clock.now().getTime() - PATIENCE_MS);
  return db.rows<TroubledSubscription>(sql`
    SELECT own.id AS practice_id, s.id, ${clientNameOf(sql`s.client_id`)} AS client_name, s.resource, s.target,
      s.failing_since, s.paused_date,
      (SELECT count(*) FROM published_event e
       WHERE e.subscription_id = s.id AND e.practice_id = own.id AND ${DELIVERIES.waiting}) AS open
    FROM unnest(${[...access.practices]}::bigint[]) AS own(id)
    JOIN subscription s ON s.deleted_date IS NULL AND (s.paused_date IS NOT NULL OR s.failing_since < ${limit})
      AND ${clientMayReach(sql`s.client_id`, sql`own.id`)}
    ORDER BY own.id, s.paused_date NULLS LAST, s.failing_since, s.id`);
}
