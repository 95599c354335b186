// Replays: the events of a subscription in a range of time are sent again, in the order of each record, and nothing else.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startWebhooks } from "@/lib/background/webhooks";
import { db, sql } from "@/lib/platform/db/sql";
import type { Background } from "@/lib/platform/jobs/background";
import { type Basics, call, seedBasics } from "../support/api";
import { securityEventsOf } from "../support/security-events";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import {
  type Client,
  createListener,
  eventually,
  newClient,
  type Subscription,
  seedPatients,
  storedEvents,
} from "../support/webhook-clients";
import { type Receiver, startReceiver, stopReceivers } from "../support/webhook-receivers";

process.env.WEBHOOK_ALLOW_PRIVATE = "true";

let basics: Basics;
let receiver: Receiver;
let delivery: Background;
let client: Client;
let subscription: Subscription;
let patients: number[];
let admin: SignedIn;
let paths = 0;

const HOUR_MS = 3_600_000;
const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const RECENT = { from: at(-1), to: at(1) };

beforeAll(async () => {
  basics = await seedBasics();
  receiver = await startReceiver();
  delivery = startWebhooks();
  patients = await seedPatients(basics, 2);
  admin = await signInAs("admin", [basics.enabled]);
});
beforeEach(async () => {
  ({ client, subscription } = await createListener(basics, `http://127.0.0.1:${receiver.port}/${++paths}`));
});
afterAll(async () => {
  await delivery.stop();
  await stopReceivers();
});

const save = (patient: number) =>
  call("PATCH", `patients/${patient}`, { token: basics.token, body: { middle_name: crypto.randomUUID() } });
const replay = (body: object, query = "", token = client.token) =>
  call("POST", `subscriptions/${subscription.id}/replay${query}`, { token, body });
const replayAs = (who: SignedIn, query = "") =>
  staffCallAs(who, "POST", `practices/${basics.enabled}/subscriptions/${subscription.id}/replay${query}`, {
    body: RECENT,
  });
const received = () => receiver.requests.filter(({ url }) => url === `/${paths}`);
const ids = () => received().map(({ headers }) => headers["webhook-id"]);
/** Waits until all events of the subscription are delivered. */
const allDelivered = () =>
  eventually(async () => {
    const events = await storedEvents(subscription.id);
    return events.every((event) => event.delivery === "delivered") ? events : null;
  });

/** Delivers four events: two of each patient. */
async function deliverFour(): Promise<string[]> {
  for (const patient of [patients[0], patients[1], patients[0], patients[1]]) await save(patient as number);
  return (await allDelivered()).map(({ event_uuid }) => event_uuid);
}

test("sends each event of the range once more, with the same ID, and the events of a record in order", async () => {
  const uuids = await deliverFour();
  const { status, body } = await replay(RECENT);
  expect([status, body]).toEqual([200, { events: 4 }]);
  await allDelivered();
  const again = ids().slice(4);
  expect(again.toSorted()).toEqual(uuids.toSorted());
  for (const [first, second] of [
    [0, 2],
    [1, 3],
  ] as const) {
    expect(again.indexOf(uuids[first])).toBeLessThan(again.indexOf(uuids[second]));
  }
  expect((await storedEvents(subscription.id)).map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2]);
});

test("leaves events outside of the range, canceled ones and those of other subscriptions unchanged", async () => {
  const other = await createListener(basics, `http://127.0.0.1:${receiver.port}/other`);
  await deliverFour();
  const [first, second] = await storedEvents(subscription.id);
  await db.run(sql`UPDATE published_event SET created_date = ${at(-3)} WHERE id = ${first?.id}`);
  await db.run(sql`UPDATE published_event SET delivery = 'canceled' WHERE id = ${second?.id}`);
  await eventually(
    async () => (await storedEvents(other.subscription.id)).every((e) => e.delivery === "delivered") || null,
  );
  expect((await replay(RECENT)).body).toEqual({ events: 2 });
  await eventually(async () => (received().length === 6 ? true : null));
  expect((await storedEvents(other.subscription.id)).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1]);
  expect((await replay({ from: at(-4), to: at(-2) })).body).toEqual({ events: 1 });
});

test("a dry run returns the number and changes nothing", async () => {
  await deliverFour();
  const state = () =>
    db.rows(sql`SELECT * FROM published_event WHERE subscription_id = ${subscription.id} ORDER BY id`);
  const before = await state();
  const { status, body } = await replay(RECENT, "?dry_run=true");
  expect([status, body]).toEqual([200, { effects: [], result: { events: 4 } }]);
  expect(await state()).toEqual(before);
});

test("a second call while events wait queues nothing twice", async () => {
  await deliverFour();
  await db.run(sql`UPDATE subscription SET paused_date = now() WHERE id = ${subscription.id}`);
  const [one, two] = await Promise.all([replay(RECENT), replay(RECENT)]);
  expect([one.body.events, two.body.events].sort()).toEqual([0, 4]);
  await db.run(sql`UPDATE subscription SET paused_date = NULL WHERE id = ${subscription.id}`);
  await allDelivered();
  expect(received()).toHaveLength(8);
});

test("clears a report and keeps it in the history; the replay is audited", async () => {
  await save(patients[0] as number);
  const [event] = await allDelivered();
  const report = { processed_date: "2026-11-21T10:00:00.000Z", error_content: "no such chart", status_code: 422 };
  await call("PUT", `published_events/${event?.event_id}`, { token: client.token, body: report });
  const events = await securityEventsOf(basics.enabled, async () => {
    expect((await replay(RECENT)).body).toEqual({ events: 1 });
  });
  expect(events.map(({ operation, detail }) => ({ operation, detail }))).toEqual([
    { operation: "webhook.replayed", detail: { facts: { subscription: subscription.id, ...RECENT, events: 1 } } },
  ]);
  await allDelivered();
  const version = await db.one(sql`
    SELECT kind, changes, actor->>'type' AS actor FROM record_version
    WHERE record_type = 'published_event' AND record_id = ${event?.id} ORDER BY version DESC LIMIT 1`);
  expect(version).toEqual({
    kind: "updated",
    actor: "client",
    changes: {
      replayed_date: { old: null, new: expect.any(String) },
      delivery: { old: "delivered", new: "pending" },
      processed_date: { old: report.processed_date, new: null },
      status_code: { old: 422, new: null },
      error_content: { old: "no such chart", new: null },
    },
  });
});

describe("the range", () => {
  test.each([
    ["is required", {}, ["from", "to"]],
    ["needs a time zone", { from: "2026-11-20T08:00:00", to: at(0) }, ["from"]],
    ["must not be empty", { from: at(0), to: at(0) }, ["to"]],
    ["is at most 7 days", { from: at(-169), to: at(0) }, ["to"]],
  ])("%s", async (_what, body, fields) => {
    const response = await replay(body);
    expect([response.status, Object.keys(response.body)]).toEqual([400, fields]);
  });

  test("holds at most 10,000 events", async () => {
    await db.run(sql`UPDATE subscription SET paused_date = now() WHERE id = ${subscription.id}`);
    const add = (count: number) =>
      db.run(sql`
        INSERT INTO published_event (event_uuid, subscription_id, client_id, practice_id, event_type, resource, resource_id, target,
          delivery, next_attempt_date, give_up_date, created_date, modified_date)
        SELECT gen_random_uuid(), ${subscription.id}, ${client.id}, ${basics.enabled}, 'saved', 'patients', 1, 'x', 'delivered',
          now(), now(), now(), now() FROM generate_series(1, ${count}::int)`);
    await add(10_001);
    const { status, body } = await replay(RECENT);
    expect([status, body.code]).toEqual([422, "too_many_events"]);
    await db.run(sql`DELETE FROM published_event WHERE id = (SELECT max(id) FROM published_event)`);
    expect((await replay(RECENT)).body).toEqual({ events: 10_000 });
    await call("DELETE", `subscriptions/${subscription.id}`, { token: client.token });
  });
});

describe("by staff", () => {
  test("sends the events of their practice, if they are admins", async () => {
    await deliverFour();
    expect((await replayAs(await signInAs("staff", [basics.enabled]))).status).toBe(403);
    expect((await replayAs(await signInAs("admin", [basics.foreign]))).status).toBe(404);
    expect((await replayAs(admin, "?dry_run=true")).body.result).toEqual({ events: 4 });
    expect((await replayAs(admin)).body).toEqual({ events: 4 });
    await allDelivered();
    expect(received()).toHaveLength(8);
  });

  test("404 for a subscription of another client", async () => {
    expect((await replay(RECENT, "", (await newClient(basics)).token)).status).toBe(404);
  });
});
