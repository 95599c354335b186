// The clocks of processes don't agree: work that any of them can do is due by the clock of the database.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { claimKey, type KeyUse } from "@/lib/access/endpoints/idempotency";
import { systemOrigin } from "@/lib/access/identity/access";
import { claimAlert, enqueueAlerts } from "@/lib/background/alerts/queue";
import { claimEvents } from "@/lib/events/delivery/claim-events";
import { settleAttempt } from "@/lib/events/delivery/settle-attempts";
import { resumeSubscription } from "@/lib/events/subscriptions/commands";
import { findDuePatients, findNextEvent, recordFailure, requeueEvent } from "@/lib/insurance/replication/outbox";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { type Client, createListener, type Subscription } from "../support/webhook-clients";

const HALF_AN_HOUR_MS = 1_800_000;
const CLOCKS = [
  ["half an hour ahead", HALF_AN_HOUR_MS],
  ["half an hour behind", -HALF_AN_HOUR_MS],
] as const;
/** Longer than the first pause after a failed attempt. */
const SOON = sql`clock_timestamp() + interval '2 minutes'`;
const FAILED = { status: 500, error: "HTTP 500.", durationMs: 5 };

process.env.STREAM_CONSUMER = "worker";
process.env.WEBHOOK_FIRST_RETRY_MS = "60000";

let basics: Basics;
let client: Client;
let subscription: Subscription;
let patient: number;

beforeEach(async () => {
  await db.run(sql`DELETE FROM published_event`);
  await db.run(sql`DELETE FROM replication_event`);
  basics = await seedBasics();
  ({ client, subscription } = await createListener(basics, `https://hooks.example.org/${basics.enabled}`));
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Sets the system's clock, which `setClock` would hide. */
const runAt = (offsetMs: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + offsetMs });
const fixClock = () => vi.useRealTimers();

const addPolicy = async (at = patient) => {
  const body = { ...MARIA, rank: 1 };
  expect(await call("POST", `patients/${at}/policies`, { token: basics.token, body })).toMatchObject({ status: 201 });
};
const openEvent = async () => {
  const event = await findNextEvent(db, patient);
  return event ?? expect.unreachable("no event");
};
/** Fails so often that the next attempt follows after more than ten seconds. */
const failOften = async (event: number) => {
  for (let attempt = 1; attempt <= 6; attempt++) await recordFailure(event, "broken");
};
const listDueLater = (than = sql`clock_timestamp()`) =>
  db.rows(sql`
    SELECT id FROM published_event WHERE next_attempt_date > ${than}
    UNION ALL SELECT id FROM replication_event WHERE next_attempt_date > ${than}`);
/** Makes all events due that wait for no more than two minutes. */
const passTwoMinutes = () =>
  db.run(sql`
    WITH webhooks AS (UPDATE published_event SET next_attempt_date = next_attempt_date - interval '2 minutes')
    UPDATE replication_event SET next_attempt_date = next_attempt_date - interval '2 minutes'`);

test("webhooks and replication of a server whose clock is ahead are due at once", async () => {
  runAt(HALF_AN_HOUR_MS);
  await addPolicy();
  fixClock();
  expect(await listDueLater()).toEqual([]);
});

test.each(CLOCKS)("a worker whose clock is %s finds what is due, and nothing else", async (_, offset) => {
  await addPolicy();
  await failOften((await openEvent()).id);
  const other = await seedPatient(basics.enabled, basics.physicians.enabled);
  await addPolicy(other);
  const [first] = await claimEvents(1);
  await settleAttempt(first ?? expect.unreachable("no event"), FAILED);
  runAt(offset);
  // The other event about the patient waits for the one that failed.
  expect(await findDuePatients(10)).toEqual([other]);
  const claimed = await claimEvents(10);
  expect(claimed.map(({ resource_id }) => resource_id)).not.toContain(first?.resource_id);
  expect(claimed.length).toBeGreaterThan(0);
  expect(await openEvent()).toMatchObject({ is_backing_off: true });
});

test.each(CLOCKS)("what fails while a worker's clock is %s is repeated after the usual pause", async (_, offset) => {
  await addPolicy();
  const event = await openEvent();
  runAt(offset);
  await failOften(event.id);
  for (const claimed of await claimEvents(10)) await settleAttempt(claimed, FAILED);
  fixClock();
  expect(await openEvent()).toMatchObject({ is_backing_off: true });
  expect(await claimEvents(10)).toEqual([]);
  expect(await listDueLater(SOON)).toEqual([]);
  await passTwoMinutes();
  expect(await findDuePatients(10)).toEqual([patient]);
  expect(await claimEvents(10)).not.toEqual([]);
});

test.each(CLOCKS)("what a server whose clock is %s sends again is due at once", async (_, offset) => {
  await addPolicy();
  const event = await openEvent();
  await db.run(sql`UPDATE published_event SET next_attempt_date = clock_timestamp() + interval '30 minutes'`);
  await db.run(sql`UPDATE subscription SET paused_date = now() WHERE id = ${subscription.id}`);
  runAt(offset);
  await requeueEvent(db, event.id);
  const origin = systemOrigin({ name: "Test", source: "seed", operation: "tests.resume" });
  await resumeSubscription(subscription.id, origin);
  fixClock();
  expect(await listDueLater()).toEqual([]);
});

const keyUse = (): KeyUse => ({
  ...{ clientId: client.id, key: "skew", fingerprint: "f", path: "patients" },
  lease: crypto.randomUUID(),
});

test.each(CLOCKS)("an Idempotency-Key of a server whose clock is %s is held for ten seconds", async (_, offset) => {
  await db.run(sql`DELETE FROM idempotency_key`);
  runAt(offset);
  expect(await claimKey(keyUse())).toBeNull();
  fixClock();
  await expect(claimKey(keyUse())).rejects.toThrow("still running");
  await db.run(sql`UPDATE idempotency_key SET leased_until = leased_until - interval '10 seconds'`);
  expect(await claimKey(keyUse())).toBeNull();
});

test.each(CLOCKS)(
  "an alert of a worker whose clock is %s is sent at once, and repeated after five minutes",
  async (_, offset) => {
    await db.run(sql`DELETE FROM alert`);
    runAt(offset);
    const facts = { dedupe_key: "skew", subject: "A subject", text: "A text.", path: "/settings" };
    await enqueueAlerts([{ practiceId: basics.enabled, ...facts }], ["webhook"]);
    fixClock();
    runAt(-offset);
    expect(await claimAlert("webhook")).toMatchObject({ subject: "A subject" });
    fixClock();
    expect(await claimAlert("webhook")).toBeNull();
    await db.run(sql`UPDATE alert SET next_attempt_date = next_attempt_date - interval '6 minutes'`);
    expect(await claimAlert("webhook")).toMatchObject({ subject: "A subject" });
  },
);
