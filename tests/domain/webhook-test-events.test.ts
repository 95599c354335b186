// Test events: one signed webhook without a record, sent at once and not stored.

import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testPayload } from "@/lib/events/webhooks/schema";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics } from "../support/api";
import { securityEventsOf } from "../support/security-events";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { type Client, createListener, newClient, type Subscription, subscribe } from "../support/webhook-clients";
import { type Receiver, startReceiver, stopReceivers } from "../support/webhook-receivers";

process.env.WEBHOOK_ALLOW_PRIVATE = "true";
process.env.WEBHOOK_TIMEOUT_MS = "1000";
process.env.WEBHOOK_TEST_LIMIT = "3";

let basics: Basics;
let receiver: Receiver;
let admin: SignedIn;

beforeAll(async () => {
  basics = await seedBasics();
  admin = await signInAs("admin", [basics.enabled]);
  receiver = await startReceiver((request, response) => {
    if (request.url === "/silent") return;
    response.writeHead(request.url === "/failing" ? 500 : 204).end();
  });
});
afterAll(stopReceivers);

const listen = (path: string) => createListener(basics, `http://127.0.0.1:${receiver.port}${path}`);
const send = ({ client, subscription }: { client: Client; subscription: Subscription }) =>
  call("POST", `subscriptions/${subscription.id}/test`, { token: client.token });
const sendAs = (who: SignedIn, { id }: Subscription) =>
  staffCallAs(who, "POST", `practices/${basics.enabled}/subscriptions/${id}/test`);

test("is signed, marked as a test and contains no record; the response shows the outcome", async () => {
  const listener = await listen("/ok");
  const { status, body } = await send(listener);
  expect([status, body]).toEqual([
    200,
    { event_uuid: expect.any(String), status_code: 204, error: null, duration_ms: expect.any(Number) },
  ]);
  const webhook = receiver.requests.at(-1);
  if (!webhook) throw new Error("nothing was received");
  const payload = new Webhook(listener.subscription.signing_secret).verify(
    webhook.body,
    webhook.headers as Record<string, string>,
  );
  expect(testPayload.parse(payload)).toEqual({
    data: {},
    action: "test",
    event_id: null,
    event_uuid: body.event_uuid,
    application_id: listener.client.clientId,
    resource: "patients",
    resource_url: null,
  });
  expect(webhook.headers["webhook-id"]).toBe(body.event_uuid);
});

test("is not stored as an event or an attempt, and does not change the subscription", async () => {
  const listener = await listen("/failing");
  const state = () =>
    db.one(sql`SELECT (SELECT count(*) FROM published_event) AS events, (SELECT count(*) FROM webhook_attempt) AS attempts,
      version, failing_since FROM subscription WHERE id = ${listener.subscription.id}`);
  const before = await state();
  const { status, body } = await send(listener);
  expect([status, body.status_code, body.error]).toEqual([200, 500, expect.stringContaining("500")]);
  expect(await state()).toEqual(before);
});

test("ends after the timeout of a delivery, and reports a refused connection", async () => {
  const silent = await send(await listen("/silent"));
  expect(silent.body).toMatchObject({ status_code: null, error: expect.any(String) });
  expect(silent.body.duration_ms).toBeGreaterThanOrEqual(900);
  const client = await newClient(basics);
  const subscription = await subscribe(client, "http://127.0.0.1:1/closed");
  const closed = await send({ client, subscription });
  expect(closed.body).toMatchObject({ status_code: null, error: "Connection refused." });
});

test("is never sent to an address that deliveries can't reach", async () => {
  const client = await newClient(basics);
  const subscription = await subscribe(client, "http://127.0.0.1:1/metadata");
  await db.run(sql`UPDATE subscription SET target = 'http://169.254.169.254/latest' WHERE id = ${subscription.id}`);
  const { status, body } = await send({ client, subscription });
  // The keys are bound to the target, so a changed one can't be signed for.
  expect([status, body.code]).toEqual([409, "unsigned"]);
});

test("429 beyond the limit per minute of a subscription", async () => {
  const listener = await listen("/limited");
  const other = await listen("/other");
  const statuses: number[] = [];
  for (let count = 0; count < 4; count++) statuses.push((await send(listener)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect((await sendAs(admin, listener.subscription)).status).toBe(429);
  expect((await send(other)).status).toBe(200);
});

describe("who can send one", () => {
  test("its client and admins of the practice; each is audited", async () => {
    const listener = await listen("/who");
    const { client, subscription } = listener;
    const events = await securityEventsOf(basics.enabled, async () => {
      expect((await send(listener)).status).toBe(200);
      expect((await sendAs(admin, subscription)).body).toMatchObject({ status_code: 204, error: null });
    });
    const facts = { subscription: subscription.id, event_uuid: expect.any(String) };
    expect(events.map(({ operation, actor_type, detail }) => ({ operation, actor_type, detail }))).toEqual([
      { operation: "webhook.tested", actor_type: "client", detail: { facts } },
      {
        operation: "webhook.tested",
        actor_type: "staff",
        detail: { facts, about: { type: "client", id: client.id, name: "Listener" } },
      },
    ]);
  });

  test("no other client, no other role and no other practice", async () => {
    const { subscription } = await listen("/nobody");
    expect((await send({ client: await newClient(basics), subscription })).status).toBe(404);
    expect((await sendAs(await signInAs("staff", [basics.enabled]), subscription)).status).toBe(403);
    const foreigner = await signInAs("admin", [basics.foreign]);
    expect((await sendAs(foreigner, subscription)).status).toBe(404);
    const elsewhere = await createListener(basics, `http://127.0.0.1:${receiver.port}/x`, "patients", [
      basics.disabled,
    ]);
    expect((await sendAs(admin, elsewhere.subscription)).status).toBe(404);
    expect(receiver.requests.some(({ url }) => url === "/nobody" || url === "/x")).toBe(false);
  });
});
