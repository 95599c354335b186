import type { ClientAccess } from "@/lib/access/identity/access";
import { type PageRequest, type PageSlice, selectPage } from "@/lib/platform/db/page";
import { type Db, db, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import type { SubscriptionRow } from "./schema";

const SUBSCRIPTION = sql`s.id, s.resource, s.target, s.properties, s.signing_pub_key, s.created_date, s.deleted_date`;

/** Fields the list of subscriptions can be ordered by. */
export const SUBSCRIPTION_ORDERS = { created_date: sql`s.created_date`, resource: sql`s.resource` };

/** A page of the caller's subscriptions. */
export async function listSubscriptions(access: ClientAccess, page: PageRequest): Promise<PageSlice<SubscriptionRow>> {
  return selectPage(db, {
    columns: SUBSCRIPTION,
    from: sql`subscription s`,
    where: sql`s.client_id = ${access.clientId} AND s.deleted_date IS NULL`,
    id: sql`s.id`,
    orderings: SUBSCRIPTION_ORDERS,
    page,
  });
}

/** @throws NotFoundError if the subscription doesn't exist, is deleted or belongs to another client */
export async function getSubscription(access: ClientAccess, id: number, read: Db = db): Promise<SubscriptionRow> {
  const subscription = await read.first<SubscriptionRow>(sql`
    SELECT ${SUBSCRIPTION} FROM subscription s
    WHERE s.id = ${id} AND s.client_id = ${access.clientId} AND s.deleted_date IS NULL`);
  if (!subscription) throw new NotFoundError("subscription");
  return subscription;
}
