// How often a request waits for the database, and how often it commits. Each round trip costs the server more than the JavaScript
// between two of them.
import { setImmediate } from "node:timers/promises";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { flushClientUse } from "@/lib/access/clients/authenticate";
import { createClient } from "@/lib/access/clients/commands";
import { mintAccess } from "@/lib/access/identity/access";
import { getPolicy } from "@/lib/insurance/policies/queries";
import { pool } from "@/lib/platform/db/pool";
import { db, fixed, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { countRoundTrips } from "../support/round-trips";

// The longest that the setting allows: a token that is read again takes a round trip.
process.env.TOKEN_CACHE_MS = "5000";

let basics: Basics;
let patient: number;
let policy: number;

beforeAll(async () => {
  basics = await seedBasics();
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const { body } = await request("POST", "", { carrier: "Acme" });
  policy = body.id;
  // Statements are prepared after some uses, and the token is cached.
  for (let use = 0; use < 8; use++) await put();
  for (let use = 0; use < 8; use++) await request("GET", `/${policy}`);
});

const request = (method: string, path: string, fields?: object) =>
  call(method, `patients/${patient}/policies${path}`, {
    token: basics.token,
    ...(fields && { body: { ...MARIA, rank: 1, ...fields } }),
  });

/** Counts the round trips of a request alone: the token is cached for five seconds, and counts of calls are stored every five. */
async function countAlone(send: () => Promise<unknown>): Promise<number> {
  await send();
  await flushClientUse();
  return countRoundTrips(send);
}

let carriers = 0;
const put = () => request("PUT", `/${policy}`, { carrier: `Carrier ${carriers++}` });

describe("a PUT of a policy", () => {
  test("takes two round trips: the lock with the reads, and one statement that writes everything with the commit", async () => {
    expect(await countAlone(put)).toBe(2);
  });

  test("stores its event as acknowledged in the transaction that changes the policy and the legacy insurance", async () => {
    const { body } = await put();
    const found = await db.one(sql`
      SELECT e.status, p.xmin = e.xmin AS same_transaction, i.carrier
      FROM policy p JOIN patient_insurance i ON i.policy_id = p.id, replication_event e
      WHERE p.id = ${policy} AND e.id = (SELECT max(id) FROM replication_event WHERE patient_id = ${patient})`);
    expect(found).toEqual({ status: "acknowledged", same_transaction: true, carrier: body.carrier });
  });
});

test("a POST of a policy takes three: its ID and that of its legacy insurance are reserved first", async () => {
  let rank = 2;
  expect(await countAlone(() => request("POST", "", { rank: rank++ }))).toBe(3);
});

test("a GET of a policy takes two: the read, and its audit entry", async () => {
  expect(await countAlone(() => request("GET", `/${policy}`))).toBe(2);
});

test("sixteen reads of policies at once share two", async () => {
  const access = mintAccess({ practices: [basics.enabled], actor: { type: "system", id: null, name: "test" } });
  const read = () => Promise.all(Array.from({ length: 16 }, () => getPolicy(access, patient, policy)));
  // First, to open the connections.
  expect(await countAlone(read)).toBe(2);
});

test("reads that arrive while others are running share the next connection", async () => {
  const sleep = fixed((seconds: number) => sql`SELECT pg_sleep(${seconds})`, { isShort: true });
  // Counts of calls, stored every five seconds, would use a connection.
  await flushClientUse();
  const connect = vi.spyOn(pool(), "connect");
  // They would wait for 2 ms at most.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const reads = [db.rows(sleep(1))];
  for (let turn = 0; turn < 4; turn++) {
    await setImmediate();
    reads.push(db.rows(sleep(0)));
  }
  expect(connect).toHaveBeenCalledTimes(1);
  await Promise.all(reads);
  expect(connect).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
  connect.mockRestore();
});

test("a list of policies takes two: the read, and its audit entry", async () => {
  for (let use = 0; use < 8; use++) await request("GET", "");
  expect(await countAlone(() => request("GET", ""))).toBe(2);
});

test("the first page of a longer list takes three: the read, its count, and its audit entry", async () => {
  for (let use = 0; use < 8; use++) await request("GET", "?limit=1");
  expect((await request("GET", "?limit=1")).body.count).toBeGreaterThan(1);
  expect(await countAlone(() => request("GET", "?limit=1"))).toBe(3);
});

test("a token takes two: it and its audit entry", async () => {
  const client = await createClient({
    name: "Round trips",
    organizationId: basics.organization,
    practices: [basics.enabled],
  });
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });
  const token = () => call("POST", "oauth2/token", { body });
  for (let use = 0; use < 8; use++) expect((await token()).status).toBe(200);
  expect(await countAlone(token)).toBe(2);
});
