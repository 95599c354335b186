// Servers and workers start before their database can be reached, as after a power failure.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { config } from "@/lib/platform/config";
import { db, sql } from "@/lib/platform/db/sql";
import { BUSY } from "@/lib/platform/errors";
import { build } from "@/scripts/lib/build-steps.mjs";
import { type Basics, MARIA, seedBasics, seedPatient } from "../support/api";
import { startServer } from "../support/servers";
import { Browser } from "../support/sign-in";
import { PASSWORD, signInAs } from "../support/staff";
import { expectStoresAgree } from "../support/stores";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy";
import { WorkerProcess } from "../support/worker-process";

let basics: Basics;
let proxy: TcpProxy;
let settings: { DATABASE_URL: string; LOG_LEVEL: string };

beforeAll(async () => {
  await build();
  basics = await seedBasics();
  proxy = await startTcpProxy(config().DATABASE_URL);
  const url = new URL(config().DATABASE_URL);
  url.host = proxy.place;
  settings = { DATABASE_URL: url.href, LOG_LEVEL: "warn" };
});
afterAll(() => proxy?.stop());

test.each(["inline", "worker"])("they use it as soon as they can (STREAM_CONSUMER=%s)", async (consumer) => {
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  proxy.refuse(true);
  const server = await startServer("production", { ...settings, STREAM_CONSUMER: consumer });
  onTestFinished(async () => void (await server.stop()));
  if (consumer === "worker") {
    const worker = await WorkerProcess.start({ ...settings, STREAM_CONSUMER: consumer });
    onTestFinished(() => worker.stop());
  }
  const ready = () => fetch(`${server.url}/readyz`);
  const addPolicy = () =>
    fetch(`${server.url}/api/2.0/patients/${patient}/policies`, {
      method: "POST",
      headers: { authorization: `Bearer ${basics.token}`, "content-type": "application/json" },
      body: JSON.stringify({ ...MARIA, rank: 1 }),
    });
  expect((await ready()).status).toBe(503);
  expect((await addPolicy()).status).toBe(503);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);

  proxy.refuse(false);
  await expect.poll(async () => (await ready()).status, { timeout: 20_000 }).toBe(200);
  expect((await addPolicy()).status).toBe(201);
  const waiting = () => db.rows(sql`SELECT id FROM replication_event WHERE status IN ('pending', 'failed')`);
  await expect.poll(waiting, { timeout: 20_000 }).toEqual([]);
  await expectStoresAgree(patient);
});

test("they also wait while the name of its machine has no address", async () => {
  const url = new URL(settings.DATABASE_URL);
  url.hostname = "database.invalid";
  const server = await startServer("production", { ...settings, DATABASE_URL: url.href });
  onTestFinished(async () => void (await server.stop()));
  const worker = await WorkerProcess.start({ ...settings, DATABASE_URL: url.href });
  onTestFinished(() => worker.stop());
  for (const path of ["readyz", "api/2.0/patients"]) {
    const response = await fetch(`${server.url}/${path}`, { headers: { authorization: `Bearer ${basics.token}` } });
    expect([path, response.status]).toEqual([path, 503]);
  }
});

test("pages and sign-outs get a 503 meanwhile, and the page gets the digest for a busy server", async () => {
  const server = await startServer("production", settings);
  onTestFinished(async () => void (await server.stop()));
  const admin = await signInAs("admin", [basics.enabled]);
  const browser = new Browser(server.url);
  expect((await browser.signIn(admin.email, PASSWORD)).status).toBe(200);
  const page = `/practices/${basics.enabled}/patients`;
  expect((await browser.send("GET", page)).status).toBe(200);
  proxy.refuse(true);
  onTestFinished(() => proxy.refuse(false));
  const { status, headers, text } = await browser.send("GET", page);
  expect([status, headers["retry-after"]]).toEqual([503, "1"]);
  // The page in the browser shows what this error means.
  expect(text).toContain(JSON.stringify(JSON.stringify({ digest: BUSY })).slice(1, -1));
  expect(server.output()).toContain("a page could not be shown, because the service is busy");
  expect(server.output()).not.toContain("a page failed");
  // The session is still open, so the sign-out must fail.
  expect((await browser.signOut()).status).toBe(503);
  proxy.refuse(false);
  await expect.poll(async () => (await browser.send("GET", page)).status, { timeout: 20_000 }).toBe(200);
  expect((await browser.signOut()).status).toBe(200);
  expect((await browser.send("GET", page)).status).toBe(307);
});
