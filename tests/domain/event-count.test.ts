// The number of a client's events: housekeeping adds up committed events, and a list counts the newer ones.
import pg from "pg";
import { beforeEach, expect, test } from "vitest";
import { systemOrigin } from "@/lib/access/identity/access";
import { removeOldPublishedEvents } from "@/lib/events/published/commands";
import { countPublishedEvents, countStatement } from "@/lib/events/published/count-events";
import { publishEvents } from "@/lib/events/published/publish-events";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { type Basics, call, seedBasics } from "../support/api";
import { rounds } from "../support/rounds";
import { type Client, newClient, subscribe } from "../support/webhook-clients";

const ORIGIN = systemOrigin({ name: "Test", source: "seed", operation: "tests.publish" });
let targets = 0;

let basics: Basics;
let client: Client;
beforeEach(async () => {
  basics = await seedBasics();
  client = await newClient(basics, [basics.enabled, basics.disabled]);
  await subscribe(client, `https://hooks.example.org/count/${targets++}`);
});

const publish = (ids: readonly number[], practiceId = basics.enabled) =>
  transaction((tx) => publishEvents(tx, { type: "saved", resource: "patients", ids, practiceId, origin: ORIGIN }));

/** Returns the sum of what was added up, and what a list says, for these practices. */
async function counts(practices = [basics.enabled, basics.disabled]) {
  const ofClient = sql`client_id = ${client.id} AND practice_id = ANY(${practices})`;
  const { added } = await db.one<{ added: number }>(
    sql`SELECT coalesce(sum(events), 0)::int AS added FROM event_count WHERE ${ofClient}`,
  );
  const { count } = await db.one<{ count: number }>(countStatement({ clientId: client.id, practices }));
  return { added, count };
}

async function countOfList(query: string) {
  const { status, body } = await call("GET", `published_events?${query}`, { token: client.token });
  expect(status).toBe(200);
  return body.count;
}

test("a list says the same before and after events are added up, by practice", async () => {
  await publish([1, 2, 3]);
  await publish([4], basics.disabled);
  expect(await counts()).toEqual({ added: 0, count: 4 });
  expect(await countPublishedEvents()).toBeGreaterThanOrEqual(4);
  expect(await counts()).toEqual({ added: 4, count: 4 });
  expect(await counts([basics.disabled])).toEqual({ added: 1, count: 1 });
  expect(await counts([])).toEqual({ added: 0, count: 0 });
  await publish([5, 6]);
  expect(await counts()).toEqual({ added: 4, count: 6 });
  expect(await countPublishedEvents()).toBe(2);
  expect(await countPublishedEvents()).toBe(0);
  expect(await countOfList("limit=2")).toBe(6);
  expect(await countOfList("limit=2&offset=2")).toBe(6);
  expect(await countOfList("limit=2&resource_id=4")).toBe(1);
  expect(await countOfList("limit=2&order_by=-event_id&resource=patients")).toBe(6);
});

/** Inserts an event in a transaction that stays open. */
async function publishSlowly() {
  const writer = new pg.Client({ connectionString: process.env.DATABASE_URL as string });
  await writer.connect();
  await writer.query("BEGIN");
  await writer.query(
    `INSERT INTO published_event (event_uuid, subscription_id, client_id, practice_id, event_type, resource, resource_id, target,
       delivery, next_attempt_date, give_up_date, created_date, modified_date)
     SELECT gen_random_uuid(), id, client_id, $2, 'saved', 'patients', 7, target, 'pending', now(), now(), now(), now()
     FROM subscription WHERE client_id = $1`,
    [client.id, basics.enabled],
  );
  return {
    async end(how: "COMMIT" | "ROLLBACK") {
      await writer.query(how);
      await writer.end();
    },
  };
}

test("an event that is committed after those with higher IDs is counted", async () => {
  await countPublishedEvents();
  const slow = await publishSlowly();
  await publish([1, 2]);
  const adding = countPublishedEvents();
  expect(await counts()).toEqual({ added: 0, count: 2 });
  await slow.end("COMMIT");
  expect(await counts()).toMatchObject({ count: 3 });
  expect(await adding).toBe(3);
  expect(await counts()).toEqual({ added: 3, count: 3 });
});

test("events are left for the next time while a transaction is open for long", async () => {
  await countPublishedEvents();
  const slow = await publishSlowly();
  await publish([1, 2]);
  expect(await countPublishedEvents()).toBe(0);
  expect(await counts()).toEqual({ added: 0, count: 2 });
  await slow.end("ROLLBACK");
  expect(await countPublishedEvents()).toBe(2);
  expect(await counts()).toEqual({ added: 2, count: 2 });
});

test("retention subtracts events that were added up, and no others", async () => {
  await publish([1, 2, 3]);
  await countPublishedEvents();
  await publish([4, 5]);
  await db.run(sql`
    UPDATE published_event SET created_date = now() - interval '40 days'
    WHERE client_id = ${client.id} AND resource_id IN (2, 3, 5)`);
  expect(await removeOldPublishedEvents()).toBe(3);
  expect(await counts()).toEqual({ added: 1, count: 2 });
  await countPublishedEvents();
  expect(await counts()).toEqual({ added: 2, count: 2 });
});

test("lists are right at each moment, while events are published, deleted and added up at once", async () => {
  const practices = [basics.enabled, basics.disabled];
  const ofClient = sql`client_id = ${client.id} AND practice_id = ANY(${practices})`;
  const { text, values } = countStatement({ clientId: client.id, practices });
  const wrong: unknown[] = [];
  let isRunning = true;
  const reader = new pg.Client({ connectionString: process.env.DATABASE_URL as string });
  await reader.connect();
  const check = async () => {
    // A single snapshot for both counts.
    await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const { rows } = await reader.query(text, values);
    const { rows: actual } = await reader.query(
      "SELECT count(*)::int AS count FROM published_event WHERE client_id = $1 AND practice_id = ANY($2)",
      [client.id, practices],
    );
    await reader.query("COMMIT");
    if (Number(rows[0].count) !== actual[0].count) wrong.push([rows[0].count, actual[0].count]);
  };
  const repeat = async (work: () => Promise<unknown>) => {
    while (isRunning) await work();
  };
  const publishing = Array.from({ length: 4 }, async (_, at) => {
    for (let step = 0; step < rounds(40); step++) await publish([at, step, step + 1], practices[step % 2]);
  });
  const remove = () =>
    db.run(sql`
      DELETE FROM published_event WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM published_event WHERE ${ofClient} ORDER BY random() LIMIT 3 FOR UPDATE SKIP LOCKED))`);
  const others = [countPublishedEvents, countPublishedEvents, remove, check].map(repeat);
  await Promise.all(publishing);
  isRunning = false;
  await Promise.all(others);
  await check();
  await reader.end();
  expect(wrong).toEqual([]);
  await countPublishedEvents();
  const { added, count } = await counts();
  expect(added).toBe(count);
  expect(count).toBeGreaterThan(0);
});
