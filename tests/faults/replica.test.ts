// Lists and exports read from a standby (DATABASE_REPLICA_URL), and still see every write that was acknowledged before.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFromReplica } from "@/lib/platform/db/replica";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { renderMetrics } from "@/lib/platform/metrics";
import { build } from "@/scripts/lib/build-steps.mjs";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { setSessionDefaults } from "@/scripts/lib/roles.mjs";
import { call } from "../support/api";
import { findPgBouncer, startPgBouncer } from "../support/pgbouncer.mjs";
import { changeSettings } from "../support/process-state";
import { type Replica, startReplicas } from "../support/replicas";
import { type RunningServer, startServer } from "../support/servers";
import { signInAs, staffCallAs } from "../support/staff";
import { pathOf, STAFF_ENDPOINTS, seedRecords } from "../support/staff-world";
import { ENDPOINTS, seedWorld, type World } from "../support/world";

const INSERT = sql`INSERT INTO organization (name) VALUES ('New') RETURNING id`;

const WRITERS = 4;
const WRITES = 15;

let replicas: Awaited<ReturnType<typeof startReplicas>>;
let world: World;
/** Writes alone. */
let writer: RunningServer;
/** Reads from the standby. */
let reader: RunningServer & { metrics: () => Promise<string> };

const query = (server: Replica, statement: string) =>
  asAdmin(server.ownerUrl, async (client) => (await client.query(statement)).rows);
const queryOne = async (server: Replica, statement: string) => (await query(server, statement))[0];
const onPrimary = (statement: string) => query(replicas.primary, statement);
const onStandby = (statement: string) => query(replicas.standby, statement);
const pauseReplay = () => onStandby("SELECT pg_wal_replay_pause()");
const resumeReplay = () => onStandby("SELECT pg_wal_replay_resume()");

const readers: RunningServer[] = [];

async function startReader(settings: Record<string, string>): Promise<typeof reader> {
  const port = String(await freePort());
  const server = await startServer("production", { LOG_LEVEL: "warn", METRICS_PORT: port, ...settings });
  readers.push(server);
  return { ...server, metrics: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text() };
}

beforeAll(async () => {
  await build();
  replicas = await startReplicas({ synchronous: false });
  const { primary, standby } = replicas;
  const both = primary.url.replace(primary.place, `${primary.place},${standby.place}`);
  await changeSettings({ DATABASE_URL: both, DATABASE_REPLICA_URL: both, METRICS_PORT: String(await freePort()) });
  writer = await startServer("production", { LOG_LEVEL: "warn", DATABASE_REPLICA_URL: "" });
  reader = await startReader({});
  world = await seedWorld();
});
afterAll(async () => {
  await writer?.stop();
  for (const server of readers) await server.stop();
  await replicas?.stop();
});

/** Returns how many requests read from the standby, and how many from the primary by reason. */
async function countOutcomes(of = async () => (await renderMetrics()).text): Promise<Record<string, number>> {
  const metrics = await of();
  const found = metrics.matchAll(/^crosswalk_replica_reads_total\{outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, outcome, count]) => [outcome, Number(count)]));
}

const IS_STANDBY = sql`SELECT pg_is_in_recovery() AS is_standby`;
const readsStandby = async () => (await db.one<{ is_standby: boolean }>(IS_STANDBY)).is_standby;

/**
 * Repeats an attempt until it succeeds, for a minute at most: a loop without an end would disturb the tests after it. Unlike with
 * `expect.poll`, an assertion that fails in an attempt ends the test.
 */
async function until(attempt: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await attempt())) {
    if (Date.now() > deadline) expect.fail(`not within a minute, after ${JSON.stringify(await countOutcomes())}`);
    await pause(100);
  }
}

/** Does some work that may read from the replica. Tries until the standby is not late. */
function onReplica(work: () => Promise<void> = async () => {}): Promise<void> {
  return until(() =>
    readFromReplica(async () => {
      const isUsed = await readsStandby();
      if (isUsed) await work();
      return isUsed;
    }),
  );
}

const send = async (
  server: RunningServer,
  method: string,
  path: string,
  { token = world.basics.token, body = {} } = {},
) => {
  const response = await fetch(`${server.url}/api/2.0/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};

const addPatient = async (last_name: string, server = writer) => {
  const { disabled, physicians } = world.basics;
  const who = { caregiver_practice: disabled, primary_physician: physicians.disabled, first_name: "Maria", last_name };
  const { status, body } = await send(server, "POST", "patients", {
    body: { ...who, dob: "1980-05-17", sex: "Female" },
  });
  expect(status).toBe(201);
  return body.id as number;
};

/** Lists patients by name. Returns their IDs. */
const listPatients = async (last_name: string, { server = reader, token = world.basics.token } = {}) => {
  const { status, body } = await send(server, "GET", `patients?last_name=${last_name}`, { token });
  expect(status).toBe(200);
  return body.results.map(({ id }: { id: number }) => id) as number[];
};

describe("reads of a request", () => {
  test("go to the standby, and others don't", async () => {
    await onReplica();
    expect(await readsStandby()).toBe(false);
  });

  test("see what was committed while the standby does not replay", async () => {
    await onReplica();
    await pauseReplay();
    const { id } = await db.one<{ id: number }>(INSERT);
    const find = () => db.first(sql`SELECT id, pg_is_in_recovery() AS is_standby FROM organization WHERE id = ${id}`);
    expect(await readFromReplica(find)).toEqual({ id, is_standby: false });
    await resumeReplay();
    await onReplica(async () => expect(await find()).toEqual({ id, is_standby: true }));
  });

  test.each<[string, () => Promise<unknown>]>([
    ["wrote", () => db.run(INSERT)],
    ["wrote and returned a row", () => db.one(INSERT)],
    ["was a transaction", () => transaction((tx) => tx.run(INSERT))],
    ["failed", () => expect(db.one(sql`SELECT 1 / 0 AS none`)).rejects.toThrow("division by zero")],
  ])("go to the primary once one %s", async (_, other) => {
    await onReplica(async () => {
      await other();
      expect(await readsStandby()).toBe(false);
    });
    await onReplica();
  });

  test("that are concurrent are all repeated if one of them must go to the primary", async () => {
    await onReplica(async () => {
      const all = await Promise.all([readsStandby(), db.one(INSERT), readsStandby()]);
      expect(all).toEqual([true, { id: expect.any(Number) }, false]);
    });
  });

  test("are repeated on the primary if replaying the log cancels them", async () => {
    await onStandby("ALTER SYSTEM SET max_standby_streaming_delay = 0");
    await onStandby("SELECT pg_reload_conf()");
    await onPrimary("CREATE TABLE in_conflict AS SELECT 1 AS id");
    await onPrimary("GRANT SELECT ON in_conflict TO PUBLIC");
    const before = await countOutcomes();
    const SLOW = "SELECT id, pg_is_in_recovery() AS is_standby FROM in_conflict, pg_sleep(2)";
    await onReplica(async () => {
      const reading = db.one(raw(SLOW));
      const isRunning = `SELECT FROM pg_stat_activity WHERE query = '${SLOW}' AND state = 'active'`;
      await expect.poll(() => onStandby(isRunning)).toHaveLength(1);
      await onPrimary("ALTER TABLE in_conflict ADD COLUMN added int");
      expect(await reading).toEqual({ id: 1, is_standby: false });
    });
    await onStandby("ALTER SYSTEM RESET max_standby_streaming_delay");
    await onStandby("SELECT pg_reload_conf()");
    const { conflict = 0 } = await countOutcomes();
    expect(conflict).toBe((before.conflict ?? 0) + 1);
  });
});

describe("the API and the staff pages", () => {
  /** Returns how many more requests there are of each outcome after some work. */
  const outcomesOf = async (work: () => Promise<unknown>, of?: () => Promise<string>) => {
    const before = await countOutcomes(of);
    await work();
    const after = await countOutcomes(of);
    return Object.fromEntries(
      Object.keys(after).flatMap((name) => {
        const added = (after[name] ?? 0) - (before[name] ?? 0);
        return added === 0 ? [] : [[name, added]];
      }),
    );
  };

  /** Repeats some requests until the standby is not late, and requires these outcomes. */
  const untilNotLate = (work: () => Promise<unknown>, expected: Record<string, number>, of?: () => Promise<string>) =>
    until(async () => {
      const outcomes = await outcomesOf(work, of);
      if (["lagging", "partial_record", "slow"].some((late) => late in outcomes)) return false;
      expect(outcomes).toEqual(expected);
      return true;
    });

  test("read all of their lists and exports from the standby", async () => {
    const { basics, at } = world;
    const records = await seedRecords(basics, "enabled");
    const admin = await signInAs("admin", [basics.enabled], { canExport: true });
    const lists = ENDPOINTS.filter(({ declaration }) => declaration.readsMuch);
    const staffLists = STAFF_ENDPOINTS.filter(({ declaration }) => declaration.readsMuch);
    expect([...lists, ...staffLists].filter(({ method }) => method !== "GET")).toEqual([]);
    const refresh = "?after=0&ids=1";
    const calls = [
      ...lists.map(
        ({ path }) =>
          () =>
            call("GET", at(path), { token: basics.token }),
      ),
      ...staffLists.map(({ path }) => () => {
        return staffCallAs(admin, "GET", `${pathOf(path, records)}${path.endsWith("/refresh") ? refresh : ""}`);
      }),
    ];
    expect(calls.length).toBeGreaterThan(70);
    for (const list of calls) {
      await untilNotLate(async () => expect(await list()).toMatchObject({ status: 200 }), { replica: 1 });
    }
  });

  test("read the lists in pages from the standby", async () => {
    const { cookie } = await signInAs("admin", [world.basics.disabled]);
    for (const page of [
      "",
      "/patients",
      "/events",
      "/stream",
      "/migration",
      "/migration/readiness",
      "/settings/audit",
    ]) {
      const url = `${reader.url}/practices/${world.basics.disabled}${page}`;
      const open = async () => expect((await fetch(url, { headers: { cookie }, redirect: "error" })).status).toBe(200);
      await untilNotLate(open, { replica: 1 }, reader.metrics);
    }
  });

  test("show a client nothing of another organization", async () => {
    const id = await addPatient("Private");
    const list = async () => {
      expect(await listPatients("Private")).toEqual([id]);
      expect(await listPatients("Private", { token: world.basics.stranger })).toEqual([]);
    };
    await untilNotLate(list, { replica: 2 }, reader.metrics);
    expect(await reader.metrics()).toMatch(
      /^crosswalk_database_pool_connections\{server="replica",state="idle"\} [1-9]/m,
    );
  });

  test("see each write of another process at once, however late the standby is", async () => {
    let isDone = false;
    const lag = async () => {
      while (!isDone) {
        await pauseReplay();
        await pause(Math.random() * 300);
        await resumeReplay();
        await pause(Math.random() * 1_500);
      }
    };
    const write = async (_: unknown, at: number) => {
      for (let count = 0; count < WRITES; count++) {
        const name = `Writer${at}x${count}x${written.size}`;
        const id = await addPatient(name);
        written.add(id);
        expect(await listPatients(name)).toEqual([id]);
      }
    };
    const written = new Set<number>();
    const writeUntilBoth = async () => {
      const before = await countOutcomes(reader.metrics);
      await until(async () => {
        await Promise.all(Array.from({ length: WRITERS }, write));
        const after = await countOutcomes(reader.metrics);
        return ["replica", "lagging"].every((outcome) => after[outcome] !== before[outcome]);
      });
    };
    await Promise.all([lag(), writeUntilBoth().finally(() => (isDone = true))]);
  });
});

let names = 0;

/** Writes and lists until a server has this outcome. All requests succeed, and each list has what was written before. */
const expectOutcome = async (outcome: string, server = reader) => {
  const before = await countOutcomes(server.metrics);
  await until(async () => {
    const name = `Name${names++}`;
    const id = await addPatient(name, server);
    expect(await listPatients(name, { server })).toEqual([id]);
    return (await countOutcomes(server.metrics))[outcome] !== before[outcome];
  });
};

test.skipIf(!findPgBouncer())("PgBouncer can be in front of the standby", async () => {
  const { primary, standby } = replicas;
  await setSessionDefaults(primary.url);
  const bouncer = await startPgBouncer(standby.url, await freePort());
  const server = await startReader({ DIRECT_DATABASE_URL: primary.url, DATABASE_REPLICA_URL: bouncer.url });
  await expectOutcome("replica", server);
  await bouncer.stop();
});

describe("without a standby that can be used, the primary serves the lists", () => {
  test("until a crashed standby is back", async () => {
    await expectOutcome("replica");
    replicas.standby.crash();
    await expectOutcome("unreachable");
    expect((await fetch(`${reader.url}/readyz`)).status).toBe(200);
    const { place } = replicas.standby;
    replicas.standby = await replicas.standby.restartAsStandby(replicas.primary);
    expect(replicas.standby.place).toBe(place);
    await expectOutcome("replica");
  });

  test("if its name has no address", async () => {
    const url = new URL(replicas.standby.url);
    url.hostname = "standby.invalid";
    const server = await startReader({ DATABASE_URL: replicas.primary.url, DATABASE_REPLICA_URL: url.href });
    await expectOutcome("unreachable", server);
  });

  test("after a failover, until the new standby is known to follow the new primary", async () => {
    const { primary, standby } = replicas;
    // A crashed primary can have more of the log than the standby, and could not follow it without `pg_rewind`.
    await primary.shutDown();
    await asAdmin(standby.ownerUrl, (client) => client.query("SELECT pg_promote()"));
    await until(async () => (await fetch(`${reader.url}/readyz`)).status === 200);
    replicas.primary = standby;
    replicas.standby = await primary.restartAsStandby(standby);
    await expectOutcome("other_timeline");
    await until(async () => {
      await onPrimary("CHECKPOINT");
      await onStandby("CHECKPOINT");
      const { timeline } = await queryOne(
        replicas.standby,
        "SELECT min_recovery_end_timeline AS timeline FROM pg_control_recovery()",
      );
      return timeline === 2;
    });
    await expectOutcome("replica");
  });

  test("if the standby was promoted", async () => {
    const { primary, standby } = replicas;
    const server = await startReader({ DATABASE_URL: primary.url, DATABASE_REPLICA_URL: standby.url });
    await expectOutcome("replica", server);
    await onStandby("SELECT pg_promote()");
    await expectOutcome("promoted", server);
  });

  test("if the standby has more of the log, but of the old primary", async () => {
    await onPrimary("SELECT pg_switch_wal()");
    await onPrimary("CREATE TABLE only_here (id int)");
    replicas.primary.crash();
    const [primary, old] = [replicas.standby, await replicas.primary.restartAsStandby()];
    const { lsn } = await queryOne(primary, "SELECT pg_current_wal_flush_lsn() AS lsn");
    const { is_past } = await queryOne(old, `SELECT pg_last_wal_replay_lsn() > '${lsn}' AS is_past`);
    expect(is_past).toBe(true);
    const server = await startReader({ DATABASE_URL: primary.url, DATABASE_REPLICA_URL: old.url });
    await expectOutcome("other_timeline", server);
    expect(await countOutcomes(server.metrics)).not.toHaveProperty("replica");
  });
});
