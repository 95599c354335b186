import type { DeliveryState } from "@/generated/rows/enums";
import { systemOrigin } from "@/lib/access/identity/access";
import { lockDelivery } from "@/lib/events/published/due-events";
import { nextAttempt, PAUSE_AFTER_DAYS } from "@/lib/events/published/rules";
import { pauseSubscription } from "@/lib/events/subscriptions/commands";
import type { Attempt } from "@/lib/events/webhooks/send";
import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { databaseNowPlus } from "@/lib/platform/db/due-time";
import { GroupCommit } from "@/lib/platform/db/group-commit";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { json, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { observeGivenUp } from "@/lib/platform/metrics";
import { type ClaimedEvent, failedDate, preferIndexes, stateAfterFailure } from "./claim-events";

/** The outcome of a claimed attempt. `canceled` means that it was not made, because the client lost access to the record. */
export type AttemptOutcome = Attempt | "canceled";

interface Settled {
  event: ClaimedEvent;
  outcome: AttemptOutcome;
}

/** Under load, attempts that end within this time are stored together. */
const INTERVAL_MS = 15;

const settled = new GroupCommit<Settled>(settle, { intervalMs: INTERVAL_MS });

/**
 * Stores the outcome of an attempt, and updates the event unless another attempt was made since. Keeps what the client itself reported.
 * After a failure, later events of the same record also wait for the next attempt, and a subscription whose attempts have all
 * failed for five days is paused.
 */
export async function settleAttempt(event: ClaimedEvent, outcome: AttemptOutcome): Promise<void> {
  await settled.add({ event, outcome });
}

async function settle(items: readonly Settled[]): Promise<void> {
  const now = clock.now();
  const rows = items.map((item) => toRow(item, now));
  const givenUp = await transaction(async (tx) => {
    if (rows.some(({ delivery }) => delivery !== "delivered")) lockDelivery(tx);
    preferIndexes(tx);
    // CASE, because PostgreSQL would otherwise look for the few rows in the index of all open events.
    const failing = await tx.rows<FailedEvent>(sql`
      WITH o AS (SELECT * FROM jsonb_to_recordset(${json(rows)}) AS o(id bigint, number int, delivery delivery_state, status_code int,
          error text, duration_ms int, pause_ms float8)),
      attempts AS (
        UPDATE webhook_attempt a SET duration_ms = o.duration_ms, status_code = o.status_code, error = o.error
        FROM o WHERE a.published_event_id = o.id AND a.number = o.number),
      settled AS (
        UPDATE published_event e SET lease_until = NULL, modified_date = ${now},
          delivery = CASE WHEN o.delivery IN ('pending', 'failed') THEN ${stateAfterFailure(sql`o.delivery`)}
            ELSE o.delivery END,
          failed_date = ${failedDate(sql`o.delivery`, now)},
          next_attempt_date = coalesce(${databaseNowPlus(sql`o.pause_ms`)}, e.next_attempt_date),
          processed_date = CASE WHEN e.reported_date IS NULL AND o.delivery = 'delivered' THEN ${now}
            ELSE e.processed_date END,
          status_code = CASE WHEN e.reported_date IS NULL THEN o.status_code ELSE e.status_code END,
          error_content = CASE WHEN e.reported_date IS NULL THEN o.error ELSE e.error_content END
        FROM o, subscription s
        WHERE e.id = o.id AND s.id = e.subscription_id AND e.attempts = o.number
          AND CASE WHEN e.delivery IN ('sending', 'pending') THEN TRUE ELSE FALSE END
        RETURNING e.id, e.subscription_id, e.resource_id, e.next_attempt_date, e.delivery, o.delivery AS outcome),
      recovered AS (
        UPDATE subscription SET failing_since = NULL
        WHERE failing_since IS NOT NULL AND id IN (SELECT subscription_id FROM settled WHERE outcome = 'delivered'))
      SELECT id, subscription_id, resource_id, next_attempt_date, delivery
      FROM settled WHERE outcome IN ('pending', 'failed')`);
    if (failing.length === 0) return 0;
    await delayLaterEvents(
      tx,
      failing.filter(({ delivery }) => delivery === "pending"),
    );
    await pauseFailing(tx, [...new Set(failing.map(({ subscription_id }) => subscription_id))], now);
    return failing.filter(({ delivery }) => delivery === "failed").length;
  });
  observeGivenUp(givenUp);
}

/** A settled attempt, as the SQL statements read it from JSON. */
interface SettledAttempt extends Row<"published_event", "id"> {
  number: number;
  delivery: Exclude<DeliveryState, "sending">;
  status_code: number | null;
  error: string | null;
  duration_ms: number | null;
  /** Until the next attempt. Null if none follows. */
  pause_ms: number | null;
}

type FailedEvent = Row<"published_event", "id" | "subscription_id" | "resource_id" | "next_attempt_date" | "delivery">;

function toRow({ event, outcome }: Settled, now: Date): SettledAttempt {
  const { id, attempts: number } = event;
  const row = { id, number, pause_ms: null };
  if (outcome === "canceled") {
    const error = "Not sent: the client no longer has access to this record.";
    return { delivery: "canceled", status_code: null, error, duration_ms: 0, ...row };
  }
  const { status: status_code, error, durationMs } = outcome;
  const attempt = { status_code, error, duration_ms: Math.round(durationMs), ...row };
  if (error === null) return { delivery: "delivered", ...attempt };
  const giveUpDate = new Date(event.give_up_date);
  const firstPauseMs = config().WEBHOOK_FIRST_RETRY_MS;
  const next = nextAttempt({ attempts: number - event.attempts_before, now, giveUpDate, firstPauseMs }, Math.random());
  return { delivery: next ? "pending" : "failed", ...attempt, pause_ms: next && next.getTime() - now.getTime() };
}

/** Delays later events of the same record, which can't be sent before this one is retried. */
async function delayLaterEvents(tx: Tx, rows: readonly FailedEvent[]): Promise<void> {
  await tx.run(sql`
    UPDATE published_event later SET next_attempt_date = o.next_attempt_date
    FROM jsonb_to_recordset(${json(rows)}) AS o(id bigint, subscription_id bigint, resource_id bigint,
      next_attempt_date timestamptz)
    WHERE later.subscription_id = o.subscription_id AND later.resource_id = o.resource_id AND later.id > o.id
      AND later.delivery = 'pending' AND later.next_attempt_date < o.next_attempt_date`);
}

async function pauseFailing(tx: Tx, subscriptionIds: readonly number[], now: Date): Promise<void> {
  const limit = new Date(now.getTime() - PAUSE_AFTER_DAYS * 86_400_000).toISOString();
  const failing = kysely.selectFrom("subscription").select("id").where("id", "=", anyOf(subscriptionIds));
  await tx.run(failing.orderBy("id").forNoKeyUpdate());
  await tx.run(
    kysely
      .updateTable("subscription")
      .set({ failing_since: now.toISOString() })
      .where("id", "=", anyOf(subscriptionIds))
      .where("failing_since", "is", null),
  );
  const due = await tx.rows(failing.where("failing_since", "<=", limit).where("paused_date", "is", null));
  for (const { id } of due) await pauseSubscription(tx, id, PAUSE_ORIGIN);
}

const PAUSE_ORIGIN = systemOrigin({
  name: "Webhook delivery",
  source: "api",
  operation: "subscriptions.pause",
  reason: `Every attempt failed for ${PAUSE_AFTER_DAYS} days.`,
});
