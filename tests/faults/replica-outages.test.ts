// Reads while the standby of DATABASE_REPLICA_URL is slow, hangs or belongs to another database, and while the primary is not available.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startWebhooks } from "@/lib/background/webhooks";
import { config } from "@/lib/platform/config";
import { pool } from "@/lib/platform/db/pool";
import { readFromReplica } from "@/lib/platform/db/replica";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { OverloadedError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { renderMetrics } from "@/lib/platform/metrics";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { RUNTIME_ROLE } from "@/scripts/lib/roles.mjs";
import { databaseUrl } from "@/tests/support/databases";
import { type Basics, call, seedBasics, seedPatient } from "../support/api";
import { changeSettings } from "../support/process-state";
import { type Replica, startReplicas } from "../support/replicas";
import { startTcpProxy } from "../support/tcp-proxy";
import { createListener } from "../support/webhook-clients";
import { startReceiver, stopReceivers } from "../support/webhook-receivers";

let replicas: Awaited<ReturnType<typeof startReplicas>>;
let basics: Basics;

beforeAll(async () => {
  replicas = await startReplicas({ synchronous: false });
  const { primary, standby } = replicas;
  await changeSettings({
    DATABASE_URL: primary.url.replace(primary.place, `${standby.place},${primary.place}`),
    DATABASE_REPLICA_URL: standby.url,
    METRICS_PORT: String(await freePort()),
    WEBHOOK_ALLOW_PRIVATE: "true",
  });
  basics = await seedBasics();
});
afterAll(() => replicas?.stop());

const query = (server: Replica, statement: string) =>
  asAdmin(server.ownerUrl, async (client) => (await client.query(statement)).rows);
const onPrimary = (statement: string) => query(replicas.primary, statement);
const onStandby = (statement: string) => query(replicas.standby, statement);
const readFrom = (url: string) => changeSettings({ DATABASE_REPLICA_URL: url });

const readsStandby = async () =>
  (await db.one<{ is_standby: boolean }>(sql`SELECT pg_is_in_recovery() AS is_standby`)).is_standby;

/** Returns how many requests had an outcome, as in the metrics. */
async function countOf(outcome: string): Promise<number> {
  const found = new RegExp(`^crosswalk_replica_reads_total\\{outcome="${outcome}"\\} (\\d+)$`, "m");
  return Number(found.exec((await renderMetrics()).text)?.[1] ?? 0);
}

/** Repeats an attempt until it succeeds, for a minute at most. */
async function until(attempt: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await attempt())) {
    if (Date.now() > deadline) expect.fail("not within a minute");
    await pause(100);
  }
}

/** Does some work that reads from the standby. Tries until the standby is not late. */
const onReplica = (work: () => Promise<void> = async () => {}) =>
  until(() =>
    readFromReplica(async () => {
      const isUsed = await readsStandby();
      if (isUsed) await work();
      return isUsed;
    }),
  );

describe("a read that fails on the standby is repeated on the primary", () => {
  test("if the statement takes too long, and later ones don't try the standby at once", async () => {
    const SLOW = raw("SELECT pg_is_in_recovery() AS is_standby, CASE WHEN pg_is_in_recovery() THEN pg_sleep(60) END");
    const before = await countOf("overloaded");
    await onReplica(async () => expect(await db.one(SLOW)).toMatchObject({ is_standby: false }));
    expect(await countOf("overloaded")).toBe(before + 1);
    expect(await readFromReplica(readsStandby)).toBe(false);
    expect(await countOf("overloaded")).toBe(before + 2);
    const RUNNING = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    expect(await onStandby(RUNNING)).toEqual([]);
  });

  test.each([
    ["lock in time", "55P03"],
    ["memory", "53200"],
    ["disk space", "53100"],
  ])("if it gets no %s", async (_, code) => {
    await changeSettings({});
    const raise = `RAISE EXCEPTION 'not available' USING ERRCODE = '${code}'`;
    const before = await countOf("overloaded");
    await onReplica(async () => {
      const failing = raw(`DO $$ BEGIN IF pg_is_in_recovery() THEN ${raise}; END IF; END $$`);
      expect(await db.rows(failing)).toEqual([]);
      expect(await readsStandby()).toBe(false);
    });
    expect(await countOf("overloaded")).toBe(before + 1);
  });

  test("if the standby hangs after it was checked", async () => {
    const { url, place } = replicas.standby;
    const proxy = await startTcpProxy(`http://${place}`);
    await readFrom(url.replace(place, proxy.place));
    const before = await countOf("unreachable");
    await onReplica(async () => {
      proxy.delayMs = 3_600_000;
      const started = performance.now();
      expect(await readsStandby()).toBe(false);
      expect(performance.now() - started).toBeLessThan(30_000);
    });
    expect(await countOf("unreachable")).toBe(before + 1);
    await proxy.stop();
    await readFrom(url);
  });
});

describe("a standby of another database is never read, and the log names the setting", () => {
  const expectNotRead = async (url: string) => {
    const errors = vi.spyOn(log, "error");
    await readFrom(url);
    const before = await countOf("other_database");
    await until(async () => {
      expect(await readFromReplica(readsStandby)).toBe(false);
      return (await countOf("other_database")) > before;
    });
    expect(await countOf("replica")).toBe(0);
    expect(errors).toHaveBeenCalledWith(expect.stringContaining("DATABASE_REPLICA_URL"));
    errors.mockRestore();
    await readFrom(replicas.standby.url);
    await onReplica();
  };

  test("if it follows another primary on the same timeline, and has more of the log", async () => {
    const other = await startReplicas({ synchronous: false });
    const [{ lsn }] = await onPrimary("SELECT pg_current_wal_lsn() + 16777216 AS lsn");
    const isPast = async (server: Replica, position: string) =>
      (await query(server, `SELECT ${position}() > '${lsn}' AS is_past`))[0].is_past;
    await until(async () => {
      await query(other.primary, "CREATE TABLE IF NOT EXISTS filler AS SELECT 1 AS id");
      await query(other.primary, "INSERT INTO filler VALUES (1)");
      await query(other.primary, "SELECT pg_switch_wal()");
      return isPast(other.primary, "pg_current_wal_lsn");
    });
    await until(() => isPast(other.standby, "pg_last_wal_replay_lsn"));
    await expectNotRead(other.standby.url);
    await other.stop();
  });

  test("if it is another database of the same standby", async () => {
    await onPrimary("CREATE DATABASE other_cell");
    await expectNotRead(databaseUrl(replicas.standby.url, "other_cell"));
  });
});

test("reads see the latest state even if the role has another default isolation level", async () => {
  const setDefault = (change: string) => onPrimary(`ALTER ROLE ${RUNTIME_ROLE} ${change}`);
  await setDefault("SET default_transaction_isolation = 'repeatable read'");
  const LEVELS = sql`
    SELECT current_setting('default_transaction_isolation') AS usual, current_setting('transaction_isolation') AS current`;
  await until(async () => {
    // Connections that were opened before the standby has replayed the setting don't have it.
    await changeSettings({});
    let usual = "";
    await onReplica(async () => {
      const level = await db.one<{ usual: string; current: string }>(LEVELS);
      expect(level.current).toBe("read committed");
      usual = level.usual;
    });
    return usual === "repeatable read";
  });
  await setDefault("RESET default_transaction_isolation");
});

test("a list that is read once a webhook arrives has the change, although the standby is a second behind", async () => {
  const patient = await seedPatient(basics.disabled, basics.physicians.disabled);
  let last_name = "";
  const lists: Promise<number[]>[] = [];
  const list = async () => {
    const { body } = await call("GET", `patients?last_name=${last_name}`, { token: basics.token });
    return body.results.map(({ id }: { id: number }) => id);
  };
  const receiver = await startReceiver((_, response) => {
    lists.push(list());
    response.end();
  });
  await createListener(basics, `http://127.0.0.1:${receiver.port}/hook`, "patients", [basics.disabled]);
  const delivery = startWebhooks();
  await onReplica();
  await onStandby("ALTER SYSTEM SET recovery_min_apply_delay = '1s'");
  await onStandby("SELECT pg_reload_conf()");
  const before = await countOf("lagging");
  await until(async () => {
    last_name = `Reyes${"abcdefghijklmnopqrstuvwxyz"[lists.length % 26]}`;
    const body = { last_name };
    expect((await call("PATCH", `patients/${patient}`, { token: basics.token, body })).status).toBe(200);
    const count = lists.length + 1;
    await expect.poll(() => lists.length).toBe(count);
    expect(await lists.at(-1)).toEqual([patient]);
    return (await countOf("lagging")) > before;
  });
  await delivery.stop();
  await stopReceivers();
  await onStandby("ALTER SYSTEM RESET recovery_min_apply_delay");
  await onStandby("SELECT pg_reload_conf()");
  await onReplica();
});

test("a read fails after ten seconds if all connections to the primary are in use", async () => {
  await onReplica();
  const held = await Promise.all(Array.from({ length: config().DATABASE_POOL_SIZE }, () => pool().connect()));
  const timeToFail = async () => {
    const started = performance.now();
    await expect(readFromReplica(readsStandby)).rejects.toThrow(OverloadedError);
    return performance.now() - started;
  };
  const first = timeToFail();
  await pause(1_000);
  const times = await Promise.all([first, timeToFail()]).finally(() => {
    for (const client of held) client.release();
  });
  expect(Math.max(...times)).toBeLessThan(15_000);
  await onReplica();
});

test("lists get 503 while the primary is down, although the standby is up", async () => {
  await onReplica();
  replicas.primary.crash();
  const isUp = () => onPrimary("SELECT 1").catch(() => null);
  await expect.poll(isUp).toBe(null);
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(readFromReplica(readsStandby)).rejects.toThrow(OverloadedError);
    const { status, headers } = await call("GET", "patients", { token: basics.token });
    expect({ status, retry: headers.get("retry-after") }).toEqual({ status: 503, retry: "1" });
  }
  expect(await onStandby("SELECT pg_is_in_recovery() AS is_standby")).toEqual([{ is_standby: true }]);
});
