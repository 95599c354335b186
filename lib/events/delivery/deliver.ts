import { auditRead } from "@/lib/access/audit/commands";
import { findReceivingClients, type ReceivingClient } from "@/lib/access/clients/queries";
import type { WebhookHeaders } from "@/lib/events/webhooks/schema";
import { WebhookSender } from "@/lib/events/webhooks/send";
import {
  openSigningKey,
  SigningKeyUnreadableError,
  signingKeyContext,
  signWebhook,
} from "@/lib/events/webhooks/signing";
import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { type Background, WakeableTimer } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";
import { type ClaimedEvent, claimEvents, type HoldBack } from "./claim-events";
import { buildPayload, type RecordReader } from "./payload";
import { type AttemptOutcome, settleAttempt } from "./settle-attempts";

const POLL_MS = 500;
/** The pause before each claim, so that attempts that end at about the same time share one. */
const BATCH_DELAY_MS = 25;

/** Functions that higher layers provide. */
export interface DeliverySources {
  readRecord: RecordReader;
  isHeldBack: HoldBack;
}

/**
 * Starts to deliver webhooks: claims due events and sends at most WEBHOOK_CONCURRENCY at once. Several processes can do so at the
 * same time. `stop` waits for the attempts in progress.
 */
export function startDelivery({ readRecord, isHeldBack }: DeliverySources): Background {
  const {
    WEBHOOK_CONCURRENCY: concurrency,
    WEBHOOK_TIMEOUT_MS: timeoutMs,
    WEBHOOK_ALLOW_PRIVATE: allowPrivate,
  } = config();
  const { WEBHOOK_TARGET_CONCURRENCY: connectionsPerOrigin } = config();
  const sender = new WebhookSender({ timeoutMs, connectionsPerOrigin, policy: { allowPrivate } });
  const timer = new WakeableTimer();
  const inProgress = new Set<Promise<void>>();
  let stopping = false;

  const round = async () => {
    const claimed = inProgress.size < concurrency ? await claimEvents(concurrency - inProgress.size, isHeldBack) : [];
    const clients = await findReceivingClients([...new Set(claimed.map(({ client_id }) => client_id))]);
    for (const event of claimed) {
      const work = deliverEvent(event, clients.get(event.client_id) ?? null, { sender, readRecord })
        // The event is retried once its lease expires.
        .catch((error: unknown) => log.error({ err: error, event: event.id }, "an attempt failed unexpectedly"))
        .finally(() => {
          inProgress.delete(work);
          timer.wake();
        });
      inProgress.add(work);
    }
    return claimed.length;
  };
  const loop = async () => {
    while (!stopping) {
      await round().catch((error: unknown) =>
        log.error({ err: error }, "claiming webhooks failed and will be retried"),
      );
      if (!stopping) await timer.sleep(POLL_MS);
      if (!stopping) await new Promise((resolve) => setTimeout(resolve, BATCH_DELAY_MS));
    }
  };
  const running = loop();
  return {
    async stop() {
      stopping = true;
      timer.wake();
      await running;
      await Promise.all(inProgress);
      await sender.close();
    },
  };
}

/**
 * Makes a claimed attempt and stores its outcome. If the process ends before that, the lease expires and another attempt follows, so
 * each event is delivered at least once.
 *
 * @param client the addressed client, or null if it is disabled
 */
export async function deliverEvent(
  event: ClaimedEvent,
  client: ReceivingClient | null,
  { sender, readRecord }: { sender: WebhookSender; readRecord: RecordReader },
): Promise<void> {
  await settleAttempt(event, await attempt(event, client, { sender, readRecord }));
}

async function attempt(
  event: ClaimedEvent,
  client: ReceivingClient | null,
  { sender, readRecord }: { sender: WebhookSender; readRecord: RecordReader },
): Promise<AttemptOutcome> {
  if (!client?.access.practices.includes(event.practice_id)) return "canceled";
  try {
    const body = JSON.stringify(await readPayload(event, client, readRecord));
    const key = openSigningKey(
      event.signing_private_key,
      signingKeyContext({ clientId: event.client_id, resource: event.resource, target: event.target }),
      config().SECRET_KEY,
    );
    const timestamp = Math.floor(clock.now().getTime() / 1000);
    const headers: WebhookHeaders = {
      ...signWebhook(key, { id: event.event_uuid, timestamp, body }),
      "x-crosswalk-attempt": String(event.attempts),
    };
    // An attempt that begins later could still be running when its lease expires and another worker makes the next one.
    if (performance.now() > event.begin_by) return notSent("too little time was left before the lease expired");
    return await sender.send({ url: event.target, headers, body });
  } catch (error) {
    log.error({ err: error, event: event.id, subscription: event.subscription_id }, "a webhook was not sent");
    return notSent(
      error instanceof SigningKeyUnreadableError ? "it could not be signed" : "an internal error occurred",
    );
  }
}

/** Returns the outcome of an attempt that was not sent. */
function notSent(why: string): AttemptOutcome {
  return { status: null, error: `Not sent: ${why}.`, durationMs: 0 };
}

/** Builds the body of a webhook. Sending patients' data is audited as a read by the client. */
async function readPayload(event: ClaimedEvent, client: ReceivingClient, readRecord: RecordReader): Promise<object> {
  const { payload, patients, unnamed, path } = await buildPayload(event, client, readRecord);
  const { access } = client;
  const origin = { actor: access.actor, source: "api" as const, reason: null, requestId: null };
  const address = new URL(event.target).origin;
  await auditRead({ ...origin, operation: "webhooks.deliver", path, address }, patients, unnamed);
  return payload;
}
