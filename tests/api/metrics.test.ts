// What Prometheus reads from a server and a worker.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { raw, sql } from "@/lib/platform/db/sql";
import { build } from "@/scripts/lib/build-steps.mjs";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { type Basics, MARIA, seedBasics, seedPatient } from "../support/api";
import { owner } from "../support/owner";
import { runScript } from "../support/run-script";
import { type RunningServer, startServer } from "../support/servers";
import { createListener } from "../support/webhook-clients";
import { WorkerProcess } from "../support/worker-process";

let basics: Basics;
let patient: number;
let server: RunningServer;
const ports = { server: 0, worker: 0 };

beforeAll(async () => {
  await build();
  basics = await seedBasics();
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  // A host name that does not exist.
  await createListener(basics, "https://listener.invalid/");
  ports.server = await freePort();
  ports.worker = await freePort();
  server = await startServer("production", {
    METRICS_PORT: String(ports.server),
    STREAM_CONSUMER: "worker",
    STREAM_WAIT_MS: "0",
  });
});
afterAll(() => server?.stop());

/** Reads the samples of a process, by name and labels as in `name{label="value"}`. */
async function read(port: number): Promise<{ text: string; samples: Map<string, number> }> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return { text, samples: new Map(lines.map((line) => [line.replace(/ \S+$/, ""), Number(line.split(" ").at(-1))])) };
}

/** Reads until the samples have these values. */
async function readUntil(port: number, expected: Record<string, number>) {
  const names = Object.keys(expected);
  await expect
    .poll(
      async () => {
        const { samples } = await read(port);
        return Object.fromEntries(names.map((name) => [name, samples.get(name)]));
      },
      { timeout: 20_000, interval: 300 },
    )
    .toEqual(expected);
}

const api = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/api/2.0/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${basics.token}`, "content-type": "application/json" },
  });

const count = (operation: string, status: number) =>
  `crosswalk_request_duration_seconds_count{operation="${operation}",status="${status}"}`;

test("requests are counted by operation and status", async () => {
  const created = await api(`patients/${patient}/policies`, {
    method: "POST",
    body: JSON.stringify({ ...MARIA, rank: 1, carrier: "Acme Health" }),
  });
  expect(created.status).toBe(201);
  await api(`patients/${patient}/policies`);
  await api(`patients/${patient}/policies?limit=x`);
  await api("nothing");
  await api("practices", { method: "DELETE" });
  await (await fetch(`${server.url}/sign-in`)).text();
  const { samples } = await read(ports.server);
  expect(samples.get(count("policies.create", 201))).toBe(1);
  expect(samples.get(count("policies.list", 200))).toBe(1);
  expect(samples.get(count("policies.list", 400))).toBe(1);
  expect(samples.get(count("unknown", 404))).toBe(1);
  expect(samples.get(count("unknown", 405))).toBe(1);
  // A page is counted once it has been sent, which can be after the client received it.
  await readUntil(ports.server, { [count("page", 200)]: 1 });
});

test("the process reports its connections, memory and event loop", async () => {
  const { samples } = await read(ports.server);
  const connections = (state: string) =>
    samples.get(`crosswalk_database_pool_connections{server="primary",state="${state}"}`) ?? -1;
  expect(connections("used")).toBeGreaterThanOrEqual(0);
  expect(connections("idle") + connections("used")).toBeGreaterThan(0);
  expect(samples.get('crosswalk_database_pool_waiting{server="primary"}')).toBe(0);
  expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(10 * 1024 * 1024);
  // Each reading begins a new measurement, so one right after another has none.
  const maxLag = async () => (await read(ports.server)).samples.get("nodejs_eventloop_lag_max_seconds");
  await expect.poll(maxLag).toBeGreaterThan(0);
  expect(samples.get("crosswalk_ready")).toBe(1);
  expect(samples.get("crosswalk_image_store_available")).toBe(1);
});

test("changes and webhooks that wait are counted until a worker handles them, and so are alerts that fail", async () => {
  await readUntil(ports.server, {
    'crosswalk_replication_events{status="pending"}': 1,
    'crosswalk_replication_events{status="failed"}': 0,
    'crosswalk_webhook_events{state="due"}': 1,
    'crosswalk_webhook_subscriptions{state="active"}': 1,
    crosswalk_audit_unsealed_entries: 0,
    crosswalk_background_work: 0,
  });
  const before = await read(ports.server);
  expect(before.samples.get("crosswalk_replication_lag_seconds")).toBeGreaterThan(0);
  expect(before.samples.get("crosswalk_webhook_lag_seconds")).toBeGreaterThan(0);
  await owner.run(sql`
    INSERT INTO alert (practice_id, dedupe_key, channel, recipient, subject, text, path, next_attempt_date, created_date)
    SELECT min(id), 'metrics', 'webhook', '', 'Alert', 'Alert', '/', now(), now() FROM practice`);
  const unreachable = { ALERT_WEBHOOK_URL: "https://127.0.0.1:1/" };
  const worker = await WorkerProcess.start({ METRICS_PORT: String(ports.worker), ...unreachable });
  await readUntil(ports.worker, {
    'crosswalk_alerts_failed_total{channel="webhook"}': 1,
    'crosswalk_alerts_failed_total{channel="email"}': 0,
    crosswalk_background_work: 1,
    'crosswalk_replication_events{status="pending"}': 0,
    crosswalk_replication_lag_seconds: 0,
    'crosswalk_webhook_events{state="waiting"}': 1,
    'crosswalk_webhook_subscriptions{state="failing"}': 1,
    'crosswalk_webhook_attempt_duration_seconds_count{outcome="failed"}': 1,
  });
  await worker.stop();
});

test("a run at work that nobody works on gets late, and the time of the last failure is reported", async () => {
  const { samples } = await read(ports.server);
  const [LAG, FAILURE] = ["crosswalk_migration_lag_seconds", "crosswalk_migration_last_failure_timestamp_seconds"];
  expect([samples.get(LAG), samples.has(FAILURE)]).toEqual([0, false]);
  const add = (state: string, age: string) =>
    owner.run(sql`
      INSERT INTO migration_run (practice_id, source, source_name, source_size, as_of, state, since_date, origin,
        created_date, changed_date)
      SELECT min(id), 'practice', 'export', 0, now(), ${state}::run_state, now(), '{}', now(), now() - ${age}::interval
      FROM practice`);
  await add("checking", "20 min");
  for (const age of ["3 h", "2 h"]) await add("failed", age);
  await expect.poll(async () => (await read(ports.server)).samples.get(LAG)).toBeGreaterThan(1_199);
  const later = (await read(ports.server)).samples;
  const [now, hours] = [Date.now() / 1_000, 3_600];
  expect(later.get(FAILURE)).toBeGreaterThan(now - 2.1 * hours);
  expect(later.get(FAILURE)).toBeLessThan(now - 1.9 * hours);
});

test("a database that does not respond leaves out what is unknown", async () => {
  const rename = (from: string, to: string) => owner.run(sql`ALTER TABLE ${raw(from)} RENAME TO ${raw(to)}`);
  await rename("subscription", "elsewhere");
  await readUntil(ports.server, { crosswalk_database_state_known: 0 });
  const { samples, text } = await read(ports.server);
  await rename("elsewhere", "subscription");
  expect(samples.has("crosswalk_replication_lag_seconds")).toBe(false);
  expect(text).not.toMatch(/^crosswalk_webhook_events\{/m);
  expect(samples.get('crosswalk_database_pool_waiting{server="primary"}')).toBe(0);
  await readUntil(ports.server, { crosswalk_database_state_known: 1, crosswalk_audit_lag_seconds: 0 });
});

test("no sample names a practice, a patient or a client", async () => {
  const { text } = await read(ports.server);
  for (const secret of ["Maria", "Lopez", "Acme", "Northside", basics.token, `/${patient}`])
    expect(text).not.toContain(secret);
});

describe("the port", () => {
  test("also serves the probes, which a worker has nowhere else", async () => {
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${ports.server}${path}`);
      return { status: response.status, body: await response.json() };
    };
    expect(await ask("/healthz")).toEqual({ status: 200, body: { status: "ok" } });
    expect(await ask("/readyz")).toMatchObject({ status: 200, body: { status: "ready", checks: { database: "ok" } } });
  });

  test("serves nothing else", async () => {
    const base = `http://127.0.0.1:${ports.server}`;
    expect((await fetch(base)).status).toBe(404);
    expect((await fetch(`${base}/metrics`, { method: "POST" })).status).toBe(405);
    expect((await fetch(`${base}/metrics`, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  });

  test("is named if another process uses it", async () => {
    const { code, stderr } = await runScript("worker.ts", [], { METRICS_PORT: String(ports.server) });
    expect(code).toBe(1);
    expect(stderr).toContain(`METRICS_PORT ${ports.server} can't be opened on 127.0.0.1: `);
  });
});
