import { randomUUID } from "node:crypto";
import { lockClient } from "@/lib/access/clients/commands";
import { systemOrigin } from "@/lib/access/identity/access";
import type { ClaimedEvent } from "@/lib/events/delivery/claim-events";
import type { RecordsReader } from "@/lib/events/delivery/payload";
import { prepareWebhooks } from "@/lib/events/delivery/prepare-webhooks";
import { type ClientRequest, endSubscriptions, insertSubscription } from "@/lib/events/subscriptions/commands";
import { createSecretBytes } from "@/lib/events/webhooks/signing";
import { clock } from "@/lib/platform/clock";
import { publicOrigin } from "@/lib/platform/config";
import type { Row } from "@/lib/platform/db/rows";
import { db, inList, type Sql, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { ConflictError, NotFoundError } from "@/lib/platform/errors";
import type { Listener, ListenerInput, NewListener, WaitingWebhook } from "./schema";

/** How long a listener exists. */
const HOURS = 8;
/** Each listener adds events to every write, so a client can have only a few. */
const MAX_LISTENERS = 10;
/** The number of webhooks in one response. Each can contain a whole record. */
const MAX_WEBHOOKS = 20;

/**
 * Creates a listener: subscriptions of the caller whose events it fetches, for development (ADR 0223). They share a secret, which only
 * this result contains.
 *
 * @throws ConflictError too_many_listeners
 */
export async function createListener(request: ClientRequest, input: ListenerInput): Promise<NewListener> {
  const resources = [...new Set(input.resources)];
  const { access } = request;
  const listener_id = randomUUID();
  const target = targetOf(listener_id);
  const until = new Date(clock.now().getTime() + HOURS * 3_600_000).toISOString();
  const listening = { until, secret: createSecretBytes() };
  return transaction(async (tx) => {
    await lockClient(tx, access.clientId);
    const { count } = await tx.one<{ count: number }>(sql`
      SELECT count(DISTINCT s.target)::int AS count FROM subscription s
      WHERE s.client_id = ${access.clientId} AND s.deleted_date IS NULL AND s.listen_until > ${clock.now()}`);
    if (count >= MAX_LISTENERS) {
      throw new ConflictError(
        "too_many_listeners",
        `You have ${count} listeners. Delete one, or wait until one expires.`,
      );
    }
    let signing_secret = "";
    for (const resource of resources) {
      ({ signing_secret } = await insertSubscription(tx, request, { resource, target, listening }));
    }
    return { listener_id, resources, signing_secret, expires_date: until };
  });
}

/**
 * Returns the webhooks that wait for a listener of the caller, oldest first, signed now. They wait until the caller reports on them, so
 * the next call returns them again otherwise.
 *
 * @throws NotFoundError if the listener doesn't exist, has ended or belongs to another client
 */
export async function readListener(
  { access }: Pick<ClientRequest, "access">,
  listener_id: string,
  readRecords: RecordsReader,
): Promise<Listener> {
  const mine = isListener(listener_id, access.clientId);
  const found = await db.first<Row<"subscription", "listen_until">>(sql`
    SELECT s.listen_until FROM subscription s WHERE ${mine} AND s.deleted_date IS NULL LIMIT 1`);
  const expires_date = found?.listen_until;
  if (!expires_date || new Date(expires_date) <= clock.now()) throw new NotFoundError("listener");
  const waiting = await findWaiting(sql`${mine} AND ${inList(sql`e.practice_id`, access.practices)}`);
  const prepared = await prepareWebhooks(waiting, readRecords);
  const webhooks = prepared.flatMap((one): WaitingWebhook[] => {
    // An event that can't be sent now is tried again by the next call.
    if (!("webhook" in one)) return [];
    const { headers, body } = one.webhook;
    return [{ event_id: one.event.event_id, headers: headers as WaitingWebhook["headers"], body }];
  });
  return { listener_id, expires_date, webhooks };
}

/**
 * Ends a listener of the caller.
 *
 * @throws NotFoundError as `readListener`
 */
export async function deleteListener({ access, origin }: ClientRequest, listenerId: string): Promise<void> {
  const ended = await endSubscriptions(origin, isListener(listenerId, access.clientId));
  if (ended === 0) throw new NotFoundError("listener");
}

/** Ends the listeners whose time is over. */
export async function endExpiredListeners(): Promise<void> {
  const name = "Housekeeping";
  const reason = `A listener ends after ${HOURS} hours.`;
  const origin = systemOrigin({ name, source: "api", operation: "webhook_listeners.expire", reason });
  await endSubscriptions(origin, sql`s.listen_until <= ${clock.now()}`);
}

/** Returns the target of a listener's subscriptions, where the listener fetches the events. Nothing is sent to it. */
function targetOf(listenerId: string): string {
  return `${publicOrigin()}/api/2.0/webhook_listeners/${listenerId}/`;
}

function isListener(listenerId: string, clientId: number): Sql {
  return sql`s.client_id = ${clientId} AND s.listen_until IS NOT NULL AND s.target LIKE ${`%/webhook_listeners/${listenerId}/`}`;
}

/** Finds the events that the listener has not reported on. `which` is a condition on an event `e` and its subscription `s`. */
function findWaiting(which: Sql): Promise<ClaimedEvent[]> {
  // As `leaseEvents`, but without a lease: the listener reports the outcome.
  return db.rows<ClaimedEvent>(sql`
    SELECT e.id, e.event_id, e.event_uuid, e.subscription_id, e.client_id, e.practice_id, e.event_type, e.resource,
      e.resource_id, e.target, e.attempts + 1 AS attempts, e.attempts_before, e.give_up_date, e.traceparent,
      s.signing_private_key, s.signing_secrets, 0 AS begin_by
    FROM published_event e JOIN subscription s ON s.id = e.subscription_id
    WHERE ${which} AND s.deleted_date IS NULL AND e.delivery = 'pending' AND e.reported_date IS NULL
    ORDER BY e.id LIMIT ${MAX_WEBHOOKS}`);
}
