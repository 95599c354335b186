// What operators see of webhooks: how many wait and for how long, what is not sent or given up, and which subscriptions are paused.
import { afterEach, beforeEach, expect, test } from "vitest";
import { disableClient } from "@/lib/access/clients/commands";
import { systemOrigin } from "@/lib/access/identity/access";
import { startWebhooks } from "@/lib/background/webhooks";
import { claimEvents } from "@/lib/events/delivery/claim-events";
import { settleAttempt } from "@/lib/events/delivery/settle-attempts";
import { publishEvents } from "@/lib/events/published/publish-events";
import { getDeliveryBacklog } from "@/lib/events/published/queries";
import { countSubscriptions } from "@/lib/events/subscriptions/queries";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { renderMetrics } from "@/lib/platform/metrics";
import { type Basics, seedBasics } from "../support/api";
import { createListener, eventually, type StoredEvent, storedEvents } from "../support/webhook-clients";

process.env.METRICS_PORT = "9464";
process.env.WEBHOOK_FIRST_RETRY_MS = "60000";

const MINUTE_MS = 60_000;
const START = Date.parse("2026-03-01T00:00:00.000Z");
const ORIGIN = systemOrigin({ name: "Test", source: "seed", operation: "tests.publish" });

let basics: Basics;
let listener: Awaited<ReturnType<typeof createListener>>;
let now: number;
const goTo = (time: number) => {
  now = time;
  setClock({ now: () => new Date(now) });
};

beforeEach(async () => {
  basics = await seedBasics();
  listener = await createListener(basics, "https://hooks.example.org/backlog");
});
afterEach(async () => {
  setClock();
  await db.run(sql`DELETE FROM published_event`);
  await db.run(sql`UPDATE subscription SET deleted_date = created_date`);
});

const publish = (id: number) =>
  transaction((tx) =>
    publishEvents(tx, { type: "saved", resource: "patients", ids: [id], practiceId: basics.enabled, origin: ORIGIN }),
  );

/** Publishes an event whose attempts fail until `isEnough` of its state. */
async function publishFailing(id: number, isEnough: (event: StoredEvent) => boolean): Promise<void> {
  goTo(START);
  await publish(id);
  for (;;) {
    const claimed = await claimEvents(10);
    for (const event of claimed) await settleAttempt(event, { status: 500, error: "HTTP 500.", durationMs: 1 });
    const [event] = await storedEvents(listener.subscription.id);
    if (!event || isEnough(event)) return;
    goTo(Date.parse(event.next_attempt_date));
  }
}

async function sample(name: string): Promise<number> {
  const { text } = await renderMetrics();
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.split(" ")
      .at(-1),
  );
}

test("an event behind one that is retried is due, but not late", async () => {
  await publishFailing(5, ({ next_attempt_date }) => Date.parse(next_attempt_date) > now + 60 * MINUTE_MS);
  await publish(5);
  goTo(now + 10 * MINUTE_MS);
  expect(await getDeliveryBacklog()).toEqual({ due: 1, sending: 0, waiting: 1, paused: 0, due_since: null });
  await publish(6);
  const since = new Date(now).toISOString();
  goTo(now + 10 * MINUTE_MS);
  expect(await getDeliveryBacklog()).toMatchObject({ due: 2, waiting: 1, due_since: since });
});

test("events that are given up are counted", async () => {
  const name = "crosswalk_webhook_events_given_up_total";
  const before = await sample(name);
  await publishFailing(5, ({ delivery }) => delivery === "failed");
  expect((await sample(name)) - before).toBe(1);
});

test("attempts that can't be signed are counted, but not those that are canceled", async () => {
  const name = 'crosswalk_webhook_attempt_duration_seconds_count{outcome="not_sent"}';
  const before = await sample(name);
  const other = await createListener(basics, "https://hooks.example.org/disabled");
  await db.run(sql`UPDATE subscription SET signing_private_key = 'x' WHERE id = ${listener.subscription.id}`);
  await publish(5);
  await disableClient(other.client.id);
  await publish(6);
  const webhooks = startWebhooks();
  const failed = async () =>
    (await storedEvents(listener.subscription.id)).filter(({ error_content }) => error_content);
  const events = await eventually(async () => ((await failed()).length === 2 ? failed() : null));
  const isCanceled = async () => (await storedEvents(other.subscription.id))[0]?.delivery === "canceled" || null;
  await eventually(isCanceled);
  await webhooks.stop();
  expect(events.map(({ error_content }) => error_content)).toEqual(Array(2).fill("Not sent: it could not be signed."));
  // No event was tried again yet.
  expect((await sample(name)) - before).toBe(2);
});

test("subscriptions of clients that receive no events don't count", async () => {
  const [first, second] = ["2026-03-01T00:00:00.000Z", "2026-03-02T00:00:00.000Z"];
  const pause = (id: number, date: string) =>
    db.run(sql`UPDATE subscription SET paused_date = ${date} WHERE id = ${id}`);
  const [disabled, without] = [
    await createListener(basics, "https://hooks.example.org/disabled"),
    await createListener(basics, "https://hooks.example.org/without"),
  ];
  await pause(listener.subscription.id, first);
  for (const { subscription } of [disabled, without]) await pause(subscription.id, second);
  expect(await countSubscriptions()).toEqual({ active: 0, failing: 0, paused: 3, last_pause: second });
  await disableClient(disabled.client.id);
  await db.run(sql`DELETE FROM oauth_client_practice WHERE client_id = ${without.client.id}`);
  expect(await countSubscriptions()).toEqual({ active: 0, failing: 0, paused: 1, last_pause: first });
});
