import { clientMayReach, clientNameOf } from "@/lib/access/clients/queries";
import { reachesElsewhere } from "@/lib/access/clients/staff-queries";
import type { Access } from "@/lib/access/identity/access";
import { DELIVERIES } from "@/lib/events/published/queries";
import { clock } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { db, empty, inList, join, type Sql, sql } from "@/lib/platform/db/sql";

/** The state of a subscription's deliveries. */
export interface SubscriptionHealth
  extends Row<"subscription", "id" | "resource" | "target" | "failing_since" | "paused_date"> {
  client_name: string;
  /** Number of events to deliver, including those that wait for the subscription to be resumed. */
  open: number;
  /** Number of events that failed and are not retried. */
  failed: number;
}

/** Lists all subscriptions with their deliveries, failing ones first. For command-line programs, because it checks no rights. */
export async function listSubscriptionHealth(): Promise<SubscriptionHealth[]> {
  return db.rows<SubscriptionHealth>(sql`
    SELECT s.id, ${clientNameOf(sql`s.client_id`)} AS client_name, s.resource, s.target, s.failing_since, s.paused_date,
      count(e.id) FILTER (WHERE ${DELIVERIES.waiting}) AS open,
      count(e.id) FILTER (WHERE ${DELIVERIES.undelivered}) AS failed
    FROM subscription s LEFT JOIN published_event e ON e.subscription_id = s.id AND e.delivery <> 'delivered'
    WHERE s.deleted_date IS NULL GROUP BY s.id
    ORDER BY s.paused_date NULLS LAST, s.failing_since NULLS LAST, s.id`);
}

/** A subscription that has failed for less time may recover with the next attempt. */
const FAILING_AFTER_MS = 3_600_000;

/** A subscription that is paused, or whose attempts have all failed for an hour. */
export type FailingSubscription = Omit<SubscriptionHealth, "open" | "failed"> & { practice_id: number };

/** Lists failing subscriptions of clients with access to the caller's practices: paused ones first, then the longest failing. */
export function listFailingSubscriptions(access: Access): Promise<FailingSubscription[]> {
  return selectFailing(access, empty);
}

/** A failing subscription with its number of events to deliver. */
export type FailingWithWaiting = FailingSubscription & Pick<SubscriptionHealth, "open">;

/** Lists failing subscriptions with their events to deliver, which takes longer. */
export function listFailingWithWaiting(access: Access): Promise<FailingWithWaiting[]> {
  return selectFailing(
    access,
    sql`, (SELECT count(*) FROM published_event e
      WHERE e.subscription_id = s.id AND e.practice_id = own.id AND ${DELIVERIES.waiting}) AS open`,
  );
}

function selectFailing<Found extends FailingSubscription>(access: Access, more: Sql): Promise<Found[]> {
  const limit = new Date(clock.now().getTime() - FAILING_AFTER_MS);
  return db.rows<Found>(sql`
    SELECT own.id AS practice_id, s.id, ${clientNameOf(sql`s.client_id`)} AS client_name, s.resource, s.target,
      s.failing_since, s.paused_date${more}
    FROM unnest(${[...access.practices]}::bigint[]) AS own(id)
    JOIN subscription s ON s.deleted_date IS NULL AND (s.paused_date IS NOT NULL OR s.failing_since < ${limit})
      AND ${clientMayReach(sql`s.client_id`, sql`own.id`)}
    ORDER BY own.id, s.paused_date NULLS LAST, s.failing_since, s.id`);
}

/** Returns a condition on a subscription `s`: its client has access to one of the practices. */
export function subscriptionIsVisible(access: Access): Sql {
  const reached = access.practices.map((practice) => clientMayReach(sql`s.client_id`, practice));
  return reached.length === 0 ? sql`FALSE` : sql`(${join(reached, " OR ")})`;
}

/** A subscription as staff see it. */
export interface StaffSubscription extends SubscriptionHealth {
  /** Its client also has access to practices that the caller does not belong to, so the caller can't resume it. */
  elsewhere: boolean;
}

/** Lists the subscriptions that receive the practice's events, failing ones first. Counts only the practice's events. */
export async function listPracticeSubscriptions(access: Access): Promise<StaffSubscription[]> {
  const own = inList(sql`e.practice_id`, access.practices);
  const counted = (delivery: Sql) =>
    sql`(SELECT count(*) FROM published_event e WHERE e.subscription_id = s.id AND ${own} AND ${delivery})`;
  return db.rows<StaffSubscription>(sql`
    SELECT s.id, ${clientNameOf(sql`s.client_id`)} AS client_name, s.resource, s.target, s.failing_since, s.paused_date,
      ${reachesElsewhere(access, sql`s.client_id`)} AS elsewhere,
      ${counted(DELIVERIES.waiting)} AS open, ${counted(DELIVERIES.undelivered)} AS failed
    FROM subscription s WHERE s.deleted_date IS NULL AND ${subscriptionIsVisible(access)}
    ORDER BY s.paused_date NULLS LAST, s.failing_since NULLS LAST, s.id`);
}
