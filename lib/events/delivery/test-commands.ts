import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { SecurityEvent } from "@/lib/access/audit/events";
import { auditSecurity } from "@/lib/access/audit/security-commands";
import { clientNameOf, findReceivingClients } from "@/lib/access/clients/queries";
import type { Access, Origin } from "@/lib/access/identity/access";
import type { ClientRequest } from "@/lib/events/subscriptions/commands";
import { subscriptionIsVisible } from "@/lib/events/subscriptions/staff-queries";
import type { TestResult, testPayload, WebhookHeaders } from "@/lib/events/webhooks/schema";
import { SigningKeyUnreadableError } from "@/lib/events/webhooks/sealing";
import { WebhookSender } from "@/lib/events/webhooks/send";
import { signWebhook } from "@/lib/events/webhooks/signing";
import { findSigningKeys, type SigningSubscription } from "@/lib/events/webhooks/signing-keys";
import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import type { Row } from "@/lib/platform/db/rows";
import { db, type Sql, sql } from "@/lib/platform/db/sql";
import { ConflictError, NotFoundError } from "@/lib/platform/errors";
import { countWebhookTest } from "@/lib/platform/http/client-limits";

/**
 * Sends a signed test event to the target of a subscription of the caller, once, and returns the outcome. The event is not stored. It
 * contains no record, and is sent even if the subscription is paused.
 *
 * @throws NotFoundError
 * @throws RateLimitedError
 * @throws ConflictError not_receiving if the client is disabled, or unsigned if the subscription's keys can't be read
 */
export async function sendTestEvent({ access, origin }: ClientRequest, id: number): Promise<TestResult> {
  const subscription = await findSubscription(id, sql`s.client_id = ${access.clientId}`);
  return send(subscription, { name: "webhook.tested", origin, practices: access.practices });
}

/**
 * Sends a test event on behalf of a staff member, as `sendTestEvent`.
 *
 * @throws NotFoundError if no client with access to the caller's practices has this subscription
 */
export async function sendTestEventForPractice(
  { access, origin }: { access: Access; origin: Origin },
  id: number,
): Promise<TestResult> {
  const subscription = await findSubscription(id, subscriptionIsVisible(access));
  const about = { type: "client" as const, id: subscription.client_id, name: subscription.client_name };
  return send(subscription, { name: "webhook.tested", origin, practices: access.practices, about });
}

interface TestedSubscription extends SigningSubscription, Row<"subscription", "id"> {
  client_name: string;
}

/** @param visible a condition on the subscription `s` */
async function findSubscription(id: number, visible: Sql): Promise<TestedSubscription> {
  // SQL, because the condition is shared with other queries.
  const found = await db.first<TestedSubscription>(sql`
    SELECT s.id, s.client_id, s.resource, s.target, s.signing_private_key, s.signing_secrets,
      ${clientNameOf(sql`s.client_id`)} AS client_name
    FROM subscription s
    WHERE s.id = ${id} AND s.deleted_date IS NULL AND ${visible}`);
  if (!found) throw new NotFoundError("subscription");
  return found;
}

async function send(subscription: TestedSubscription, audited: SecurityEvent): Promise<TestResult> {
  const { id, client_id, resource, target } = subscription;
  await countWebhookTest(id);
  const client = (await findReceivingClients([client_id])).get(client_id);
  if (!client) {
    throw new ConflictError("not_receiving", "This client is disabled or may no longer receive events.");
  }
  const event_uuid = randomUUID();
  const payload: z.output<typeof testPayload> = {
    data: {},
    action: "test",
    event_id: null,
    event_uuid,
    application_id: client.publicClientId,
    resource,
    resource_url: null,
  };
  const body = JSON.stringify(payload);
  const headers = sign(subscription, event_uuid, body);
  await auditSecurity({ ...audited, facts: { subscription: id, event_uuid } });
  const { WEBHOOK_TIMEOUT_MS: timeoutMs, WEBHOOK_ALLOW_PRIVATE: allowPrivate } = config();
  const sender = new WebhookSender({ timeoutMs, connectionsPerOrigin: 1, policy: { allowPrivate } });
  try {
    const { status, error, durationMs } = await sender.send({ url: target, headers, body });
    return { event_uuid, status_code: status, error, duration_ms: durationMs };
  } finally {
    await sender.close();
  }
}

/** @throws ConflictError */
function sign(subscription: TestedSubscription, id: string, body: string): WebhookHeaders {
  const timestamp = Math.floor(clock.now().getTime() / 1000);
  try {
    return { ...signWebhook(findSigningKeys(subscription), { id, timestamp, body }), "x-crosswalk-attempt": "1" };
  } catch (error) {
    if (!(error instanceof SigningKeyUnreadableError)) throw error;
    throw new ConflictError(
      "unsigned",
      "The keys of this subscription can't be read, so nothing can be sent. Create another subscription.",
    );
  }
}
