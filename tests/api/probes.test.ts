// What load balancers ask: is the process alive, and can it serve requests? Each missing part is named.
import fs from "node:fs";
import type http from "node:http";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { migrations } from "@/generated/migrations";
import { probeRoutes } from "@/generated/probe-routes";
import { setClock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { pool } from "@/lib/platform/db/pool";
import { raw, sql } from "@/lib/platform/db/sql";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import { announceStop, checkReadiness, readiness } from "@/lib/platform/readiness";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { asOwner, owner } from "../support/owner";
import { forgetProcessState } from "../support/process-state";

const READY = { database: "ok", migrations: "ok", clock: "ok", image_store: "ok" };

let server: http.Server;
let base: string;
beforeAll(async () => {
  const pages = async (_req: http.IncomingMessage, res: http.ServerResponse) => void res.end("a page");
  server = createServer({ routes: { api: [], staff: [], probes: probeRoutes }, pages, trustProxy: false });
  base = `http://127.0.0.1:${await listen(server, { port: 0, host: "127.0.0.1" })}`;
});
afterAll(() => stopServer(server, 1_000));
afterEach(() => setClock());

const ask = async (path: string, method = "GET") => {
  const response = await fetch(base + path, { method });
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text) };
};

test("a server that runs is alive, without a token", async () => {
  expect(await ask("/healthz")).toEqual({ status: 200, body: { status: "ok" } });
  expect(await ask("/healthz/", "HEAD")).toEqual({ status: 200, body: "" });
  expect(await ask("/healthz", "POST")).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
});

test("a server with all it needs is ready", async () => {
  expect(await ask("/readyz")).toEqual({ status: 200, body: { status: "ready", checks: READY } });
  expect(await ask("/readyz", "HEAD")).toEqual({ status: 200, body: "" });
});

test("those who ask at once share a result", () => {
  expect(readiness()).toBe(readiness());
});

test("a migration that is not applied is named", async () => {
  const last = migrations.at(-1) as string;
  const mark = (time: string) =>
    owner.run(sql`UPDATE _prisma_migrations SET rolled_back_at = ${raw(time)} WHERE migration_name = ${last}`);
  await mark("now()");
  const { isReady, checks } = await checkReadiness();
  await mark("NULL");
  expect(isReady).toBe(false);
  expect(checks).toEqual({ ...READY, migrations: `Not applied: ${last}. Run npm run migrate -- deploy.` });
});

test("a database without tables is reached but not ready", async () => {
  await owner.run(sql`ALTER TABLE _prisma_migrations RENAME TO elsewhere`);
  const { checks } = await checkReadiness();
  await owner.run(sql`ALTER TABLE elsewhere RENAME TO _prisma_migrations`);
  expect(checks).toEqual({ ...READY, migrations: expect.stringContaining(migrations[0] as string) });
});

/** Runs an action while the folder of images is a file. */
async function withoutImages<Result>(action: () => Promise<Result>): Promise<Result> {
  const folder = process.env.IMAGE_STORE_DIR as string;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.writeFileSync(folder, "in the way");
  return action().finally(() => fs.rmSync(folder));
}

const NO_IMAGES = { ...READY, image_store: "Images can't be read or stored." };

test("a server whose image store never responded is not ready", async () => {
  await forgetProcessState();
  expect(await withoutImages(checkReadiness)).toEqual({ isReady: false, checks: NO_IMAGES });
  expect(await checkReadiness()).toEqual({ isReady: true, checks: READY });
});

test("a server that loses its image store is degraded but stays ready", async () => {
  await checkReadiness();
  const shows = (body: object) => expect.poll(() => ask("/readyz"), { timeout: 20_000 }).toEqual({ status: 200, body });
  await withoutImages(() => shows({ status: "degraded", checks: NO_IMAGES }));
  await shows({ status: "ready", checks: READY });
});

test.each([-60, 60])("a clock that is wrong by %d s is named", async (seconds) => {
  setClock({ now: () => new Date(Date.now() + seconds * 1000) });
  const { isReady, checks } = await checkReadiness();
  expect(isReady).toBe(false);
  expect(checks).toEqual({ ...READY, clock: "The clocks of this machine and the database differ by 60 s." });
});

const NO_DATABASE = { ...READY, database: "The database did not respond.", migrations: "unknown", clock: "unknown" };

test("a database that does not answer in time is named", async () => {
  await asOwner(async (tx) => {
    await tx.run(sql`LOCK TABLE _prisma_migrations IN ACCESS EXCLUSIVE MODE`);
    const readings = await Promise.all([checkReadiness(), checkReadiness()]);
    expect(readings).toEqual([1, 2].map(() => ({ isReady: false, checks: NO_DATABASE })));
    // What hangs takes one connection, however often it is asked.
    const { waiting } = await owner.one<{ waiting: number }>(
      sql`SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(waiting).toBe(1);
  });
});

test("a server whose connections are all in use stays ready", async () => {
  const used = await Promise.all(Array.from({ length: config().DATABASE_POOL_SIZE }, () => pool().connect()));
  const found = await checkReadiness();
  for (const client of used) client.release();
  expect(found).toEqual({ isReady: true, checks: READY });
});

test("a database that can't be reached is named, and the server stays alive", async () => {
  const name = new URL(process.env.DATABASE_URL as string).pathname.slice(1);
  await asAdmin(inject("server"), async (client) => {
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name]);
    expect(await checkReadiness()).toEqual({ isReady: false, checks: NO_DATABASE });
    expect(await ask("/healthz")).toEqual({ status: 200, body: { status: "ok" } });
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  });
  await expect.poll(async () => (await checkReadiness()).isReady).toBe(true);
});

test("a server that is stopping is alive but not ready", async () => {
  announceStop();
  const { status, body } = await ask("/readyz");
  expect([status, body.status, body.checks.database]).toEqual([503, "not ready", "The server is stopping."]);
  expect((await ask("/healthz")).status).toBe(200);
});
