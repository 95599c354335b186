// Ordering and access of webhooks: records in order, targets independent, access checked at the time of sending.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { disableClient } from "@/lib/access/clients/commands";
import { startWebhooks } from "@/lib/background/webhooks";
import { db, sql } from "@/lib/platform/db/sql";
import type { Background } from "@/lib/platform/jobs/background";
import { type Basics, call, seedBasics } from "../support/api";
import { ReceiverProcess } from "../support/receiver-process";
import { createListener, eventually, type Subscription, seedPatients, storedEvents } from "../support/webhook-clients";

const SHARE = 3;
process.env.WEBHOOK_ALLOW_PRIVATE = "true";
process.env.WEBHOOK_TIMEOUT_MS = "15000";
process.env.WEBHOOK_FIRST_RETRY_MS = "20";
process.env.WEBHOOK_TARGET_CONCURRENCY = String(SHARE);

let basics: Basics;
let receiver: ReceiverProcess;
let loops: Background[] = [];

beforeAll(async () => {
  basics = await seedBasics();
  receiver = await ReceiverProcess.start(2);
});
beforeEach(() => receiver.reset());
afterEach(async () => {
  await receiver.release();
  await Promise.all(loops.splice(0).map((loop) => loop.stop()));
  await db.run(sql`UPDATE subscription SET deleted_date = created_date`);
});
afterAll(() => receiver.stop());

const start = (count = 1) => {
  loops = Array.from({ length: count }, () => startWebhooks());
};
const listen = (path: string, target = 0) => createListener(basics, `${receiver.origins[target]}${path}`);
const save = (patient: number, first_name: string) =>
  call("PATCH", `patients/${patient}`, { token: basics.token, body: { first_name } });

async function allDelivered({ id }: Subscription, count: number): Promise<void> {
  await eventually(async () => {
    const events = await storedEvents(id);
    return events.filter(({ delivery }) => delivery === "delivered").length === count || null;
  });
}

async function arrived(path: string, count: number): Promise<void> {
  await eventually(async () => (await receiver.requests(path)).length >= count || null);
}

test("events of a record arrive in order, even if the first one fails; other records do not wait", async () => {
  const { subscription } = await listen("/order");
  const [failing, healthy] = (await seedPatients(basics, 2)) as [number, number];
  await receiver.expect("/order", ["500", "reset", "held"], failing);
  for (const name of ["Ann", "Bea", "Cleo", "Dora"])
    for (const patient of [failing, healthy]) await save(patient, name);
  start(2);
  await arrived("/order", 7);
  const events = await storedEvents(subscription.id);
  const order = async (patient: number) => {
    const requests = await receiver.requests("/order");
    const own = events.filter(({ resource_id }) => resource_id === patient).map(({ event_uuid }) => event_uuid);
    return requests.filter(({ id }) => own.includes(id)).map(({ id, attempt }) => `${own.indexOf(id)} ${attempt}`);
  };
  expect(await order(failing)).toEqual(["0 1", "0 2", "0 3"]);
  expect(await order(healthy)).toEqual(["0 1", "1 1", "2 1", "3 1"]);
  await receiver.release();
  await allDelivered(subscription, 8);
  expect(await order(failing)).toEqual(["0 1", "0 2", "0 3", "1 1", "2 1", "3 1"]);
  expect(await order(healthy)).toHaveLength(4);
});

test("a target gets no more than its share of concurrent deliveries, and does not delay another target", async () => {
  const slow = [await listen("/slow"), await listen("/slow-too")];
  const quick = await listen("/quick", 1);
  const patients = await seedPatients(basics, 10);
  for (const path of ["/slow", "/slow-too"]) await receiver.expect(path, Array(20).fill("held"));
  for (const patient of patients) await save(patient, "Ann");
  start(3);
  await allDelivered(quick.subscription, patients.length);
  const held = (await receiver.requests()).filter(({ path }) => path.startsWith("/slow"));
  expect(held.map(({ ended }) => ended)).toEqual([null, null, null]);
  await receiver.reset();
  await db.run(sql`UPDATE published_event SET next_attempt_date = created_date WHERE delivery = 'pending'`);
  await Promise.all(slow.map(({ client }) => disableClient(client.id)));
  // Receivers that respond late on purpose.
});

test("a target's share is not exceeded when all attempts succeed", async () => {
  const { subscription } = await listen("/busy");
  const patients = await seedPatients(basics, 30);
  await receiver.reset({ delayMs: 20 });
  for (const patient of patients) await save(patient, "Ann");
  start(3);
  await allDelivered(subscription, patients.length);
  const { mostUnderWay, requests } = await receiver.stats();
  expect(requests).toBe(patients.length);
  expect(Math.max(...Object.values(mostUnderWay))).toBeLessThanOrEqual(SHARE);
});

describe("a client that lost access to the record before sending", () => {
  const endings: [how: string, end: (clientId: number) => Promise<unknown>][] = [
    ["has lost the practice", (id) => db.run(sql`DELETE FROM oauth_client_practice WHERE client_id = ${id}`)],
    ["is disabled", (id) => disableClient(id)],
    [
      "may no longer ask for the global scope",
      (id) => db.run(sql`UPDATE oauth_client SET allowed_scopes = '{system/practices.read}' WHERE id = ${id}`),
    ],
  ];
  test.each(endings)("gets nothing: it %s", async (how, end) => {
    const path = `/${how.replaceAll(" ", "-")}`;
    const [without, other] = [await listen(path), await listen("/other")];
    const [patient, later] = (await seedPatients(basics, 2)) as [number, number];
    await save(patient, "Ann");
    await end(without.client.id);
    await save(later, "Eve");
    expect(await storedEvents(without.subscription.id)).toHaveLength(1);
    start();
    await allDelivered(other.subscription, 2);
    const event = await eventually(async () => {
      const [first] = await storedEvents(without.subscription.id);
      return first?.delivery === "canceled" ? first : null;
    });
    expect(event).toMatchObject({ processed_date: null, status_code: null });
    expect(await receiver.requests(path)).toEqual([]);
    const reads = await db.rows<{ actor_id: number }>(sql`
      SELECT kind, actor_type, actor_id, operation, path, to_json(patients) AS patients, address FROM audit_log
      WHERE operation = 'webhooks.deliver' AND patients @> ${[patient]}::bigint[]`);
    expect(reads).toEqual([
      {
        kind: "read",
        actor_type: "client",
        actor_id: other.client.id,
        operation: "webhooks.deliver",
        path: `/api/2.0/patients/${patient}/`,
        patients: [patient],
        address: receiver.origins[0],
      },
    ]);
  });
});

test("each attempt to send a patient's data is audited as a read", async () => {
  const { client, subscription } = await listen("/audited");
  const [patient] = (await seedPatients(basics, 1)) as [number];
  await receiver.expect("/audited", ["500", "reset"]);
  await save(patient, "Ann");
  start();
  await allDelivered(subscription, 1);
  const reads = await db.rows(sql`
    SELECT id FROM audit_log WHERE operation = 'webhooks.deliver' AND actor_id = ${client.id}`);
  expect(reads).toHaveLength(3);
});
