// When an event is retried, when retries end, and who may request another attempt, with a controlled clock.
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { type ClaimedEvent, claimEvents } from "@/lib/events/delivery/claim-events";
import { settleAttempt } from "@/lib/events/delivery/settle-attempts";
import { cancelEndedEvents, removeOldPublishedEvents, retryEvents } from "@/lib/events/published/commands";
import { publishEvents } from "@/lib/events/published/publish-events";
import { nextAttempt } from "@/lib/events/published/rules";
import { resumeSubscription } from "@/lib/events/subscriptions/commands";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { type Basics, call, seedBasics } from "../support/api";
import { rounds } from "../support/rounds";
import { type Client, createListener, type Subscription } from "../support/webhook-clients";

process.env.WEBHOOK_ALLOW_PRIVATE = "true";
process.env.WEBHOOK_TARGET_CONCURRENCY = "3";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse("2026-03-01T00:00:00.000Z");
const ORIGIN = systemOrigin({ name: "Test", source: "seed", operation: "tests.publish" });
const FAILED = { status: 500, error: "HTTP 500.", durationMs: 5 };
const DELIVERED = { status: 200, error: null, durationMs: 5 };

let basics: Basics;
let client: Client;
let subscription: Subscription;
let port = 4_000;
let now = START;
const goTo = (time: number) => {
  now = time;
  setClock({ now: () => new Date(now) });
};

beforeEach(async () => {
  await db.run(sql`UPDATE subscription SET deleted_date = now()`);
  basics = await seedBasics();
  ({ client, subscription } = await createListener(basics, `http://127.0.0.1:${port++}/hook`));
  goTo(START);
});
afterEach(() => setClock());

/** Publishes events of these records in the enabled practice. */
async function publish(...ids: number[]): Promise<void> {
  const change = { type: "saved" as const, resource: "patients" as const, practiceId: basics.enabled, origin: ORIGIN };
  for (const id of ids) await transaction((tx) => publishEvents(tx, { ...change, ids: [id] }));
}
const settleAll = async (events: readonly ClaimedEvent[], outcome: typeof FAILED | typeof DELIVERED) => {
  await Promise.all(events.map((event) => settleAttempt(event, outcome)));
};
/**
 * Expires the leases, as if the senders were killed long ago. The column rounds to milliseconds, so `now()` may still
 * be in the future.
 */
const endLeases = () =>
  db.run(sql`UPDATE published_event SET lease_until = now() - interval '1 second' WHERE delivery = 'sending'`);
const states = () =>
  db.rows<{ resource_id: number; delivery: string; attempts: number; next: string; event_id: number }>(sql`
    SELECT resource_id, delivery, attempts, next_attempt_date AS next, event_id FROM published_event
    WHERE subscription_id = ${subscription.id} ORDER BY id`);
const deliveries = async () => (await states()).map(({ delivery }) => delivery);

describe("the pauses between attempts", () => {
  test("triple up to six hours, each with 25% jitter, and end after 72 hours", () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(random, { minLength: 200, maxLength: 200 }),
        fc.integer({ min: 10, max: 60_000 }),
        (dice, first) => {
          const giveUpDate = new Date(START + 72 * HOUR_MS);
          let at = START;
          for (let attempts = 1; ; attempts++) {
            const rolled = dice[attempts] as number;
            const next = nextAttempt({ attempts, now: new Date(at), giveUpDate, firstPauseMs: first }, rolled);
            if (next === null) {
              expect(at).toBe(giveUpDate.getTime());
              return;
            }
            const pause = next.getTime() - at;
            const whole = Math.min(first * 3 ** (attempts - 1), 6 * HOUR_MS);
            expect(pause).toBeLessThanOrEqual(1.25 * whole);
            if (next < giveUpDate) expect(pause).toBeGreaterThanOrEqual(0.75 * whole - 1);
            expect(attempts).toBeLessThan(60);
            at = next.getTime();
          }
        },
      ),
      { numRuns: rounds(100) },
    );
  });

  test("are kept by the queue: an event is not due early, fails after 72 hours, and has every attempt", async () => {
    await publish(1);
    let attempts = 0;
    for (; (await deliveries())[0] === "pending"; attempts++) {
      const [{ next } = { next: "" }] = await states();
      goTo(Math.max(now, Date.parse(next) - 1));
      if (attempts > 0) expect(await claimEvents(10)).toEqual([]);
      goTo(Date.parse(next));
      const claimed = await claimEvents(10);
      expect(claimed.map((event) => event.attempts)).toEqual([attempts + 1]);
      await settleAll(claimed, FAILED);
    }
    expect(await deliveries()).toEqual(["failed"]);
    expect(now).toBe(START + 72 * HOUR_MS);
    const tries = await db.rows<{ number: number; status_code: number; error: string; duration_ms: number }>(sql`
      SELECT a.number, a.status_code, a.error, a.duration_ms FROM webhook_attempt a
      JOIN published_event e ON e.id = a.published_event_id WHERE e.subscription_id = ${subscription.id} ORDER BY a.number`);
    expect(tries).toEqual(
      Array.from({ length: attempts }, (_, at) => ({
        number: at + 1,
        status_code: 500,
        error: "HTTP 500.",
        duration_ms: 5,
      })),
    );
    expect(attempts).toBeGreaterThan(15);
  });
});

describe("a claim", () => {
  test("takes only the oldest open event of a record, and others of the target up to its share", async () => {
    await publish(1, 1, 1, 2, 3, 4);
    const first = await claimEvents(10);
    expect(first.map((event) => event.resource_id)).toEqual([1, 2, 3]);
    expect(await claimEvents(10)).toEqual([]);
    await settleAll(first.slice(0, 1), FAILED);
    await settleAll(first.slice(1), DELIVERED);
    expect((await claimEvents(10)).map((event) => event.resource_id)).toEqual([4]);
    const [head, follower] = await states();
    expect(follower?.next).toBe(head?.next);
    goTo(Date.parse(head?.next ?? ""));
    const again = await claimEvents(10);
    expect(again.map((event) => [event.event_id, event.attempts])).toEqual([[head?.event_id, 2]]);
    await settleAll(again, DELIVERED);
    expect((await claimEvents(10)).map((event) => event.event_id)).toEqual([follower?.event_id]);
  });

  test("does not hold back later events of a record behind one that its client has processed", async () => {
    await publish(1, 1, 2, 2);
    const claimed = await claimEvents(10);
    const done = { processed_date: new Date(now).toISOString(), error_content: null, status_code: 200 };
    const report = async (event?: ClaimedEvent) => {
      const { status } = await call("PUT", `published_events/${event?.event_id}`, { token: client.token, body: done });
      expect(status).toBe(200);
    };
    await report(claimed[0]);
    await settleAll(claimed, FAILED);
    expect(await deliveries()).toEqual(["delivered", "pending", "pending", "pending"]);
    expect((await claimEvents(10)).map((event) => event.resource_id)).toEqual([1]);
    await report(claimed[1]);
    expect((await claimEvents(10)).map((event) => event.resource_id)).toEqual([2]);
  });

  test("never gives the same attempt to two concurrent senders", async () => {
    await publish(1, 2, 3);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimEvents(10)));
    expect(
      claims
        .flat()
        .map((event) => event.resource_id)
        .sort(),
    ).toEqual([1, 2, 3]);
  });

  test("expires if its sender died: the next attempt has the next number, and the expired one says why", async () => {
    await publish(1);
    const [lost] = await claimEvents(1);
    expect(await claimEvents(1)).toEqual([]);
    await endLeases();
    const [next] = await claimEvents(1);
    expect([lost?.attempts, next?.attempts]).toEqual([1, 2]);
    const [attempt] = await db.rows(sql`
      SELECT error, duration_ms FROM webhook_attempt WHERE published_event_id = ${next?.id} AND number = 1`);
    expect(attempt).toEqual({ error: "The sender stopped before it received a response.", duration_ms: null });
  });

  test("is not retried after 72 hours, the end of its subscription or its client's report", async () => {
    await publish(1, 2, 3);
    const [late, ended, processed] = await claimEvents(10);
    await db.run(sql`UPDATE published_event SET give_up_date = ${new Date(now)} WHERE id = ${late?.id}`);
    await db.run(sql`
      UPDATE published_event SET processed_date = ${new Date(now)}, reported_date = ${new Date(now)}, status_code = 204
      WHERE id = ${processed?.id}`);
    await endLeases();
    expect((await claimEvents(10)).map(({ id }) => id)).toEqual([ended?.id]);
    expect(await deliveries()).toEqual(["failed", "sending", "delivered"]);
    await db.run(sql`UPDATE subscription SET deleted_date = ${new Date(now)} WHERE id = ${subscription.id}`);
    await endLeases();
    expect(await claimEvents(10)).toEqual([]);
    expect(await deliveries()).toEqual(["failed", "canceled", "delivered"]);
    const shown = await db.rows(sql`
      SELECT status_code, error_content FROM published_event WHERE subscription_id = ${subscription.id} ORDER BY id`);
    const lapsed = { status_code: null, error_content: "The sender stopped before it received a response." };
    expect(shown).toEqual([lapsed, lapsed, { status_code: 204, error_content: null }]);
  });

  test("still accepts a late outcome after it expired, unless the next attempt has started", async () => {
    await publish(1, 2);
    const [first, second] = (await claimEvents(10)) as [ClaimedEvent, ClaimedEvent];
    await endLeases();
    expect((await claimEvents(1)).map(({ id }) => id)).toEqual([first.id]);
    await settleAll([first, second], DELIVERED);
    expect(await deliveries()).toEqual(["sending", "delivered"]);
  });

  test("gives the subscriptions of one target fair turns, however long a queue is", async () => {
    await publish(...Array.from({ length: 20 }, (_, at) => at + 1));
    const { subscription: second } = await createListener(basics, `${subscription.target}-2`);
    goTo(now + HOUR_MS);
    await publish(21, 22);
    const [first, ...others] = await claimEvents(10);
    const of = (events: (ClaimedEvent | undefined)[]) => events.map((event) => event?.subscription_id).sort();
    expect(of([first, ...others])).toEqual([subscription.id, subscription.id, second.id].sort());
    await settleAll(
      [first, ...others].filter((event) => event?.subscription_id === second.id) as ClaimedEvent[],
      DELIVERED,
    );
    expect(of(await claimEvents(10))).toEqual([second.id]);
  });
});

const pausedSince = async () => {
  const [row] = await db.rows<{ paused_date: string | null }>(sql`
    SELECT paused_date FROM subscription WHERE id = ${subscription.id}`);
  return row?.paused_date;
};

describe("a subscription whose attempts all failed for five days", () => {
  async function failAt(time: number): Promise<void> {
    goTo(time);
    await publish(Math.floor(time / 1000));
    for (;;) {
      const claimed = await claimEvents(10);
      if (claimed.length === 0) return;
      await settleAll(claimed, FAILED);
    }
  }

  test("is paused with a reason: old and new events wait, and all are sent when it is resumed", async () => {
    await failAt(START);
    await failAt(START + 5 * DAY_MS - 1);
    expect(await pausedSince()).toBeNull();
    await failAt(START + 5 * DAY_MS);
    expect(await pausedSince()).toBe(new Date(now).toISOString());
    await publish(7);
    expect(new Set(await deliveries())).toEqual(new Set(["failed", "pending"]));
    expect(await claimEvents(10)).toEqual([]);
    const [version] = await db.rows(sql`
      SELECT reason, actor->>'name' AS actor FROM record_version
      WHERE record_type = 'subscription' AND record_id = ${subscription.id} ORDER BY version DESC LIMIT 1`);
    expect(version).toEqual({ reason: "Every attempt failed for 5 days.", actor: "Webhook delivery" });

    await resumeSubscription(subscription.id, ORIGIN);
    const claimed = await claimEvents(10);
    expect(claimed).toHaveLength(3);
    await expect(resumeSubscription(subscription.id, ORIGIN)).rejects.toThrow();
  });

  test("is not paused if an attempt succeeded in between", async () => {
    await failAt(START);
    goTo(START + 3 * DAY_MS);
    await publish(8);
    await settleAll(await claimEvents(10), DELIVERED);
    await failAt(START + 5 * DAY_MS + 1);
    expect(await pausedSince()).toBeNull();
  });
});

test("an event published while its subscription was ending is canceled soon after", async () => {
  await publish(1);
  await db.run(sql`UPDATE subscription SET deleted_date = ${new Date(now)} WHERE id = ${subscription.id}`);
  expect(await claimEvents(10)).toEqual([]);
  await cancelEndedEvents();
  expect(await deliveries()).toEqual(["canceled"]);
});

describe("failed events", () => {
  const accessTo = (...practices: number[]) => mintAccess({ practices, actor: ORIGIN.actor });

  /** Creates three events that failed, an hour apart. */
  async function createThreeFailedEvents(): Promise<number[]> {
    await publish(1, 2, 3);
    const claimed = await claimEvents(10);
    for (const [at, event] of claimed.entries()) {
      goTo(START + 73 * HOUR_MS + at * HOUR_MS);
      await settleAttempt(event, FAILED);
    }
    expect(await deliveries()).toEqual(["failed", "failed", "failed"]);
    return (await states()).map(({ event_id }) => event_id);
  }

  test("are redelivered one by one, in bulk, or all since a time, only in the caller's practices", async () => {
    const [one = 0, two = 0, three = 0] = await createThreeFailedEvents();
    expect(await retryEvents(accessTo(basics.disabled), { eventIds: [one, two, three] })).toBe(0);
    expect(await retryEvents(accessTo(basics.enabled), { eventIds: [one] })).toBe(1);
    expect(await deliveries()).toEqual(["pending", "failed", "failed"]);
    const failedSince = new Date(START + 75 * HOUR_MS).toISOString();
    expect(await retryEvents(accessTo(basics.enabled), { failedSince, subscriptionId: subscription.id + 999 })).toBe(0);
    expect(await retryEvents(accessTo(basics.enabled), { failedSince })).toBe(1);
    expect(await deliveries()).toEqual(["pending", "failed", "pending"]);
    expect(await retryEvents("every practice", { eventIds: [one, two, three] })).toBe(1);
    const claimed = await claimEvents(10);
    expect(claimed.map(({ event_id, attempts }) => [event_id, attempts])).toEqual(
      [one, two, three].map((id) => [id, 2]),
    );
    await settleAll(claimed, FAILED);
    expect(await deliveries()).toEqual(["pending", "pending", "pending"]);
  });

  test("start over with the shortest pause when they are redelivered", async () => {
    await publish(1);
    for (let attempt = 1; attempt <= 6; attempt++) {
      goTo(Date.parse((await states())[0]?.next ?? ""));
      await settleAll(await claimEvents(1), FAILED);
    }
    const pauseMs = async () => Date.parse((await states())[0]?.next ?? "") - now;
    const before = await pauseMs();
    goTo(START + 73 * HOUR_MS);
    await settleAll(await claimEvents(1), FAILED);
    expect(await deliveries()).toEqual(["failed"]);
    expect(await retryEvents("every practice", { eventIds: [(await states())[0]?.event_id ?? 0] })).toBe(1);
    await settleAll(await claimEvents(1), FAILED);
    expect((await states())[0]?.attempts).toBe(8);
    expect(before / (await pauseMs())).toBeGreaterThan(3 ** 5 * 0.6);
  });
});

test("events are deleted 30 days after they were created, with their attempts; not one day sooner, and none in progress", async () => {
  await publish(1, 2);
  await settleAll(await claimEvents(1), DELIVERED);
  goTo(START + 30 * DAY_MS);
  await removeOldPublishedEvents();
  expect(await states()).toHaveLength(2);
  expect(await claimEvents(1)).toHaveLength(1);
  goTo(now + 1);
  await removeOldPublishedEvents();
  expect(await deliveries()).toEqual(["sending"]);
  const left = await db.rows(sql`
    SELECT a.number FROM webhook_attempt a JOIN published_event e ON e.id = a.published_event_id
    WHERE e.subscription_id = ${subscription.id}`);
  expect(left).toEqual([{ number: 1 }]);
});
