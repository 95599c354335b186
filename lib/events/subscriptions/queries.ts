import { findReceivingClients } from "@/lib/access/clients/queries";
import type { ClientAccess } from "@/lib/access/identity/access";
import type { ScopeResource } from "@/lib/access/identity/scopes";
import { receivesEvents } from "@/lib/events/published/publish-events";
import { kysely } from "@/lib/platform/db/kysely";
import { type PageRequest, type PageSlice, selectPage } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, raw, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from "./schema";

/** Fields the list of subscriptions can be ordered by. */
export const SUBSCRIPTION_ORDERS = { created_date: sql`s.created_date`, resource: sql`s.resource` };

/** Returns a page of the caller's subscriptions. */
export async function listSubscriptions(access: ClientAccess, page: PageRequest): Promise<PageSlice<SubscriptionRow>> {
  return selectPage(db, {
    columns: raw(SUBSCRIPTION_COLUMNS.map((column) => `s.${column}`).join(", ")),
    from: sql`subscription s`,
    where: sql`s.client_id = ${access.clientId} AND s.deleted_date IS NULL`,
    id: sql`s.id`,
    orderings: SUBSCRIPTION_ORDERS,
    page,
  });
}

/** @throws NotFoundError if the subscription doesn't exist, is deleted or belongs to another client */
export async function getSubscription(access: ClientAccess, id: number, read: Db = db): Promise<SubscriptionRow> {
  const subscription = await read.first(
    kysely
      .selectFrom("subscription")
      .select(SUBSCRIPTION_COLUMNS)
      .where("id", "=", id)
      .where("client_id", "=", access.clientId)
      .where("deleted_date", "is", null),
  );
  if (!subscription) throw new NotFoundError("subscription");
  return subscription;
}

/** The number of subscriptions of all clients in each state. */
export interface SubscriptionCounts {
  active: number;
  /** The latest attempts all failed. */
  failing: number;
  paused: number;
  /** When the last of the paused ones was paused, or null. */
  last_pause: string | null;
}

/** Counts the subscriptions of all clients that may receive events. For operators. */
export async function countSubscriptions(): Promise<SubscriptionCounts> {
  const rows = await db.rows<SubscriptionCounts & Row<"subscription", "client_id">>(sql`
    SELECT client_id, count(*) FILTER (WHERE paused_date IS NULL AND failing_since IS NULL) AS active,
      count(*) FILTER (WHERE paused_date IS NULL AND failing_since IS NOT NULL) AS failing,
      count(*) FILTER (WHERE paused_date IS NOT NULL) AS paused, max(paused_date) AS last_pause
    FROM subscription WHERE deleted_date IS NULL GROUP BY client_id`);
  const clients = await findReceivingClients(rows.map(({ client_id }) => client_id));
  const counted = rows.filter(({ client_id }) => clients.get(client_id)?.access.practices.length);
  const total = (state: "active" | "failing" | "paused") => counted.reduce((sum, row) => sum + row[state], 0);
  const pauses = counted.flatMap(({ last_pause }) => last_pause ?? []).sort();
  return {
    active: total("active"),
    failing: total("failing"),
    paused: total("paused"),
    last_pause: pauses.at(-1) ?? null,
  };
}

/** Counts the subscriptions that get an event when staff change a record of this resource and practice. */
export async function countSubscribers(resource: ScopeResource, practiceId: number): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM subscription s WHERE ${receivesEvents(resource, practiceId)}`);
  return count;
}
