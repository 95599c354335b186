import { setTimeout } from "node:timers/promises";
import { SpanKind } from "@opentelemetry/api";
import { DELIVERY_JOB } from "@/lib/events/published/due-events";
import { type Attempt, type WebhookRequest, WebhookSender } from "@/lib/events/webhooks/send";
import { config } from "@/lib/platform/config";
import { type Background, WakeableTimer } from "@/lib/platform/jobs/background";
import { onWakeUp } from "@/lib/platform/jobs/wake-up";
import { log, originIds } from "@/lib/platform/log";
import { observeAttempt } from "@/lib/platform/metrics";
import { currentTraceparent, describeSpan, failSpan, inSpan } from "@/lib/platform/tracing";
import { type ClaimedEvent, claimEvents, type HoldBack } from "./claim-events";
import type { RecordsReader } from "./payload";
import { notSent, type PreparedEvent, prepareWebhooks } from "./prepare-webhooks";
import { type AttemptOutcome, settleAttempt } from "./settle-attempts";

/** How often to look for events that are due for a retry, or that no wake-up announced. */
const POLL_MS = 500;
/** The shortest time between two claims under load, so that many events share one. */
const CLAIM_INTERVAL_MS = 20;
/** The same if the last claim found a few events at most. Then, the next event should not wait. */
const SHORT_INTERVAL_MS = 4;
const FEW_EVENTS = 4;
/** How many events may be claimed and not settled, as a multiple of WEBHOOK_CONCURRENCY. */
const MAX_UNSETTLED = 3;

/** Functions that higher layers provide. */
export interface DeliverySources {
  readRecords: RecordsReader;
  isHeldBack: HoldBack;
}

/**
 * Starts to deliver webhooks: claims due events and sends at most WEBHOOK_CONCURRENCY at once. Commits that publish events wake it.
 * Several processes can deliver at the same time. `stop` waits for the attempts in progress.
 */
export function startDelivery({ readRecords, isHeldBack }: DeliverySources): Background {
  const {
    WEBHOOK_CONCURRENCY: concurrency,
    WEBHOOK_TIMEOUT_MS: timeoutMs,
    WEBHOOK_ALLOW_PRIVATE: allowPrivate,
    WEBHOOK_TARGET_CONCURRENCY: connectionsPerOrigin,
  } = config();
  const sender = new WebhookSender({ timeoutMs, connectionsPerOrigin, policy: { allowPrivate } });
  const timer = new WakeableTimer();
  const stopWaking = onWakeUp(DELIVERY_JOB, () => timer.wake());
  const running = new Set<Promise<void>>();
  /** Claimed events without a response. */
  let open = 0;
  /** Claimed events whose outcome is not stored, including the open ones. */
  let unsettled = 0;
  let stopping = false;

  const deliver = async (prepared: PreparedEvent) => {
    const outcome = await attempt(prepared, sender);
    open--;
    timer.wake();
    const { event } = prepared;
    await settleAttempt(event, outcome)
      // The event is retried once its lease expires.
      .catch((err: unknown) => log.error({ err, event: event.id, ...originIds(event) }, "an outcome was not stored"));
    unsettled--;
    timer.wake();
  };
  const deliverAll = async (events: readonly ClaimedEvent[]) => {
    await Promise.all((await prepareWebhooks(events, readRecords)).map(deliver));
  };
  /** Returns the number of events that it claimed. */
  const round = async () => {
    // Sends the next events while outcomes are being stored. The limit prevents a backlog if the database is slow.
    const room = Math.min(concurrency - open, MAX_UNSETTLED * concurrency - unsettled);
    if (room <= 0) return 0;
    const events = await claimEvents(room, isHeldBack);
    if (events.length === 0) return 0;
    open += events.length;
    unsettled += events.length;
    const work = deliverAll(events).finally(() => running.delete(work));
    running.add(work);
    return events.length;
  };
  const loop = async () => {
    while (!stopping) {
      const started = performance.now();
      const found = await round().catch((error: unknown) => {
        log.error({ err: error }, "claiming webhooks failed and will be retried");
        return 0;
      });
      if (!stopping) await timer.sleep(POLL_MS);
      const intervalMs = found > FEW_EVENTS ? CLAIM_INTERVAL_MS : SHORT_INTERVAL_MS;
      const restMs = started + intervalMs - performance.now();
      if (!stopping && restMs > 0) await setTimeout(restMs);
    }
  };
  const looping = loop();
  return {
    async stop() {
      stopping = true;
      stopWaking();
      timer.wake();
      await looping;
      await Promise.all(running);
      await sender.close();
    },
  };
}

/**
 * Makes a prepared attempt. If the process ends before its outcome is stored, the lease expires and another attempt follows, so each event
 * is delivered at least once. Never rejects.
 */
async function attempt(prepared: PreparedEvent, sender: WebhookSender): Promise<AttemptOutcome> {
  if ("outcome" in prepared) {
    if (prepared.outcome !== "canceled") observeAttempt("not_sent", 0);
    return prepared.outcome;
  }
  // An attempt that begins later could still be running when its lease expires and another worker makes the next one.
  const isLate = performance.now() > prepared.event.begin_by;
  if (isLate) {
    observeAttempt("not_sent", 0);
    return notSent("too little time was left before the lease expired");
  }
  const outcome = await inSpan(attemptSpan(prepared.event), () => send(prepared.webhook, sender));
  observeAttempt(outcome.error === null ? "delivered" : "failed", outcome.durationMs);
  return outcome;
}

function attemptSpan({ event_id, subscription_id, attempts, target, traceparent }: ClaimedEvent) {
  const attributes = {
    "http.request.method": "POST",
    "server.address": new URL(target).hostname,
    "crosswalk.event_id": event_id,
    "crosswalk.subscription_id": subscription_id,
    "crosswalk.attempt": attempts,
  };
  return { name: "webhooks.deliver", kind: SpanKind.CLIENT, attributes, parent: traceparent };
}

/** Sends a webhook with the trace context of the current span. */
async function send({ headers, ...webhook }: WebhookRequest, sender: WebhookSender): Promise<Attempt> {
  const attempt = await sender.send({ ...webhook, headers: { ...headers, ...currentTraceparent() } });
  if (attempt.status !== null) describeSpan({ "http.response.status_code": attempt.status });
  if (attempt.error !== null) failSpan(attempt.status === null ? "no_response" : String(attempt.status));
  return attempt;
}
