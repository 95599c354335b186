// The receivers of docs/guides/webhooks.md, started as the guide describes, accept what Crosswalk delivers and nothing else.
import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startWebhooks } from "@/lib/background/webhooks";
import { openSigningKey, signWebhook } from "@/lib/events/webhooks/signing";
import { config } from "@/lib/platform/config";
import { db, sql } from "@/lib/platform/db/sql";
import type { Background } from "@/lib/platform/jobs/background";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { type Basics, call, seedBasics, seedPatient, tokenFor } from "../support/api";
import { findPython } from "../support/guide-tools.mjs";
import { blockOf, readGuide, Shell } from "../support/guides";

// Read once, by the first test that needs it.
process.env.WEBHOOK_ALLOW_PRIVATE = "true";

const python = findPython();
if (!python) console.warn("! Python's cryptography package is missing: the Python receiver is not tested.");

const RECEIVERS = [
  { language: "ts", file: "receiver.ts", runs: true, count: "ls inbox | wc -l" },
  {
    language: "python",
    file: "receiver.py",
    runs: python !== null,
    count: `python3 -c "import sqlite3; print(sqlite3.connect('inbox.db').execute('SELECT count(*) FROM event').fetchone()[0])"`,
  },
];

let basics: Basics;
let listener: string;
let patient: number;
let delivery: Background;

beforeAll(async () => {
  basics = await seedBasics();
  listener = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  delivery = startWebhooks();
});
afterAll(() => delivery.stop());

/** Waits until a condition holds. */
async function until<T>(look: () => Promise<T | null | undefined | false>): Promise<T> {
  for (let wait = 0; wait < 150; wait++) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the condition was not met within 15 s");
}

describe.each(RECEIVERS)("the receiver in $language", ({ language, file, runs, count: countCommand }) => {
  const guide = readGuide("webhooks.md");
  const start = blockOf(guide, "sh", file);
  let shell: Shell;
  let port: number;
  let key: KeyObject;
  let publicKey: string;
  let now: number;

  /** Sends a request that Crosswalk could have sent, with changes. */
  async function send(change: {
    id?: string;
    body?: string;
    headers?: Record<string, string>;
    at?: number;
    by?: KeyObject;
  }) {
    const { id = randomUUID(), at = now, by = key, headers = {} } = change;
    const body = JSON.stringify({ event_uuid: id, data: { last_name: "Müller" } });
    const signed = signWebhook({ privateKey: by, secrets: [] }, { id, timestamp: at, body });
    const response = await fetch(`http://127.0.0.1:${port}/crosswalk`, {
      method: "POST",
      headers: { ...signed, ...headers },
      body: change.body ?? body,
    });
    return [response.status, await response.text()];
  }

  async function startReceiver(keys: string) {
    await shell.run(`KEY='${keys}' PORT=${port}\n${start}`);
    await until(() =>
      fetch(`http://127.0.0.1:${port}/`, { method: "POST" }).then(
        () => true,
        () => false,
      ),
    );
  }

  /** Returns the number of stored events. Log lines may come in between. */
  async function count(): Promise<number> {
    return Number((await shell.run(countCommand)).match(/^\s*\d+\s*$/m)?.[0]);
  }

  /** Kills the receiver and starts it again. */
  async function restart(keys: string) {
    await shell.run("kill -9 $! && wait $! 2> wait.log");
    await startReceiver(keys);
  }

  beforeAll(async () => {
    if (!runs) return;
    port = await freePort();
    const body = { resource: "patients", target: `http://127.0.0.1:${port}/crosswalk` };
    const { body: subscription } = await call("POST", "subscriptions", { token: listener, body });
    const [row] = await db.rows<{ sealed: Buffer; client_id: number }>(
      sql`SELECT signing_private_key AS sealed, client_id FROM subscription WHERE id = ${subscription.id}`,
    );
    const context = `${row?.client_id} patients ${body.target}`;
    key = openSigningKey(row?.sealed as Buffer, context, config().SECRET_KEY);
    publicKey = subscription.signing_pub_key;
    shell = new Shell(python);
    fs.writeFileSync(path.join(shell.folder, file), blockOf(guide, language));
    await startReceiver(publicKey);
  });
  afterAll(async () => {
    if (runs) await shell.close();
  });
  beforeEach(() => {
    now = Math.floor(Date.now() / 1000);
  });

  const check = test.skipIf(!runs);

  check("stores an event that Crosswalk delivers, and recognizes a second delivery", async () => {
    const before = await count();
    await call("PATCH", `patients/${patient}`, { token: basics.token, body: { notes: `For ${file}, Zoë.` } });
    const processed = () =>
      until(async () => {
        const { body } = await call("GET", "published_events?status=processed&order_by=-event_id", { token: listener });
        return body.results.find(({ target }: { target: string }) => target.includes(`:${port}/`));
      });
    expect(await processed()).toMatchObject({ status_code: 200, error_content: null });
    expect(await count()).toBe(before + 1);
    // The same event again, as after a lost response.
    const { event_id } = await processed();
    await db.run(sql`
      UPDATE published_event SET delivery = 'pending', processed_date = NULL, next_attempt_date = now()
      WHERE event_id = ${event_id}`);
    expect(await processed()).toMatchObject({ event_id, status_code: 200 });
    const [{ attempts } = { attempts: 0 }] = await db.rows<{ attempts: number }>(
      sql`SELECT attempts FROM published_event WHERE event_id = ${event_id}`,
    );
    expect(attempts).toBe(2);
    expect(await count()).toBe(before + 1);
  });

  check("recognizes a known event after it was killed", async () => {
    const id = randomUUID();
    expect(await send({ id })).toEqual([200, "stored"]);
    await restart(publicKey);
    expect(await send({ id })).toEqual([200, "duplicate"]);
  });

  check("accepts any of several signatures, and any of several keys", async () => {
    const id = randomUUID();
    const other = generateKeyPairSync("ed25519");
    const body = JSON.stringify({ event_uuid: id, data: { last_name: "Müller" } });
    const [wrong, right] = [other.privateKey, key].map(
      (by) => signWebhook({ privateKey: by, secrets: [] }, { id, timestamp: now, body })["webhook-signature"],
    );
    const several = { "webhook-signature": `v1,abc= ${wrong} v1a,%% ${right}` };
    expect(await send({ id, headers: several })).toEqual([200, "stored"]);
    const raw = Buffer.from(other.publicKey.export({ format: "jwk" }).x as string, "base64url").toString("base64");
    await restart(`${publicKey} whpk_${raw}`);
    for (const by of [key, other.privateKey]) expect(await send({ by })).toEqual([200, "stored"]);
    await restart(publicKey);
    expect((await send({ by: other.privateKey }))[0]).toBe(401);
  });

  const stranger = generateKeyPairSync("ed25519").privateKey;
  const cases: [string, number, () => Parameters<typeof send>[0]][] = [
    ["a forged body", 401, () => ({ body: JSON.stringify({ event_uuid: randomUUID() }) })],
    ["a body changed by one space", 401, () => ({ body: ' {"event_uuid":"x"}' })],
    ["a wrong key", 401, () => ({ by: stranger })],
    ["another event's signature", 401, () => ({ headers: { "webhook-id": randomUUID() } })],
    ["a changed timestamp", 401, () => ({ headers: { "webhook-timestamp": String(now - 1) } })],
    ["a stale timestamp", 400, () => ({ at: now - 310 })],
    ["a timestamp from the future", 400, () => ({ at: now + 310 })],
    ["no timestamp", 400, () => ({ headers: { "webhook-timestamp": "" } })],
    ["a timestamp that is not a number", 400, () => ({ headers: { "webhook-timestamp": "1e9" } })],
    ["an id that is a path", 400, () => ({ id: "../../../../../../../../../../tmp/abcdef" })],
    ["no signature", 401, () => ({ headers: { "webhook-signature": "" } })],
    ["an invalid signature", 401, () => ({ headers: { "webhook-signature": "v1a,AAAA v1a,é v1a," } })],
  ];
  check.each(cases)("rejects %s with %i", async (_what, status, change) => {
    const before = await count();
    expect((await send(change()))[0]).toBe(status);
    expect(await count()).toBe(before);
  });

  check("rejects a body larger than 20 MiB", async () => {
    const before = await count();
    // The receiver may respond and close the connection before it has read everything.
    const cutOff = () => ["cut off"];
    const [status] = await send({ body: "x".repeat(21 * 1024 * 1024) }).catch(cutOff);
    expect([413, "cut off"]).toContain(status);
    expect(await count()).toBe(before);
  });

  check.each([
    ["almost 5 minutes old", -290],
    ["almost 5 minutes ahead", 290],
  ])("accepts an attempt that is %s", async (_what, seconds) => {
    expect(await send({ at: now + seconds })).toEqual([200, "stored"]);
  });
});
