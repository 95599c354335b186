// A PgBouncer in front of each of two PostgreSQL servers, as on the machines of a Patroni cluster. DATABASE_URL lists both PgBouncers.
import fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { OverloadedError } from "@/lib/platform/errors";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { setSessionDefaults } from "@/scripts/lib/roles.mjs";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { findPgBouncer, startPgBouncer } from "../support/pgbouncer.mjs";
import { changeSettings } from "../support/process-state";
import { type Replica, startReplicas } from "../support/replicas";
import { expectStoresAgree, policiesOf } from "../support/stores";
import { WorkerProcess } from "../support/worker-process";

/** Clients that write at the same time, each for its own patient. */
const WRITERS = 4;
/** Clients that only read. */
const READERS = 12;
const SERVER_CONNECTIONS = 5;
const OVERLOADED = "503";
/** A request waits up to ten seconds for a connection of the pool, and its statement up to ten for one of PgBouncer. */
const MAX_REQUEST_MS = 20_000;

interface Load {
  acknowledged: { patient: number; id: number }[];
  failures: number;
}

/** Makes the commits of the new primary wait for its standby, but no longer those of the standby, should it be promoted. */
async function waitForCommits({ primary, standby }: Record<"primary" | "standby", Replica>): Promise<void> {
  const change = ({ ownerUrl }: Replica, setting: string) =>
    asAdmin(ownerUrl, async (client) => {
      await client.query(`ALTER SYSTEM ${setting}`);
      await client.query("SELECT pg_reload_conf()");
    });
  await change(standby, "RESET synchronous_standby_names");
  await change(primary, "SET synchronous_standby_names = '*'");
  const isSynchronous = () =>
    asAdmin(primary.ownerUrl, async (client) => {
      const { rows } = await client.query("SELECT sync_state FROM pg_stat_replication");
      return rows.some(({ sync_state }) => sync_state === "sync");
    });
  await expect.poll(isSynchronous, { timeout: 30_000 }).toBe(true);
}

/** Returns the database of deploy/pgbouncer, but on this PostgreSQL server. */
function databaseOf({ url }: Replica): string {
  const file = fs.readFileSync("deploy/pgbouncer/pgbouncer.ini", "utf8");
  const [, database = ""] = /^crosswalk = (.*)$/m.exec(file) ?? [];
  expect(database).toContain("connect_query=");
  const { hostname, port } = new URL(url);
  return database.replace(/host=\S+ port=\S+/, `host=${hostname} port=${port}`);
}

describe.skipIf(!findPgBouncer())("PgBouncer in front of each PostgreSQL server", () => {
  let replicas: Awaited<ReturnType<typeof startReplicas>>;
  const bouncers: Awaited<ReturnType<typeof startPgBouncer>>[] = [];
  let worker: WorkerProcess;
  let basics: Basics;
  let patients: number[];
  let standbyUrl: string;

  beforeAll(async () => {
    replicas = await startReplicas();
    const { primary, standby } = replicas;
    await setSessionDefaults(primary.url);
    for (const replica of [standby, primary])
      bouncers.push(
        await startPgBouncer(replica.url, await freePort(), {
          crosswalk: databaseOf(replica),
          default_pool_size: SERVER_CONNECTIONS,
        }),
      );
    const [first, second] = bouncers.map(({ url }) => url) as [string, string];
    standbyUrl = first;
    const settings = {
      // The standby is tried first.
      DATABASE_URL: first.replace(new URL(first).host, (host) => `${host},${new URL(second).host}`),
      DIRECT_DATABASE_URL: standby.url.replace(standby.place, `${standby.place},${primary.place}`),
      STREAM_CONSUMER: "worker",
      STREAM_WAIT_MS: "5000",
    };
    await changeSettings(settings);
    basics = await seedBasics();
    patients = [];
    for (let at = 0; at < WRITERS; at++) patients.push(await seedPatient(basics.enabled, basics.physicians.enabled));
    worker = await WorkerProcess.start(settings);
  });
  afterAll(async () => {
    await worker?.stop();
    for (const bouncer of bouncers) await bouncer.stop();
    await replicas?.stop();
  });

  const addPolicy = async (patient: number) => {
    const { status, headers, body } = await call("POST", `patients/${patient}/policies`, {
      token: basics.token,
      body: { ...MARIA, rank: 1 },
    });
    return { status, isPending: headers.get("sync-status") === "pending", id: body.id as number };
  };

  /** Reads an acknowledged policy on any connection of the pool. Returns what is wrong, or null. */
  const readPolicy = async (policy: number): Promise<string | null> => {
    const statement = sql`SELECT pg_is_in_recovery() AS is_standby, (SELECT id FROM policy WHERE id = ${policy}) AS id`;
    try {
      const { is_standby, id } = await db.one<{ is_standby: boolean; id: number | null }>(statement);
      if (is_standby) return "a standby served a read";
      return id === policy ? null : "an acknowledged policy is missing";
    } catch (error) {
      if (error instanceof OverloadedError) return OVERLOADED;
      throw error;
    }
  };

  /** Writes and reads with all clients during some work. Expects no failures but 503, and that nothing acknowledged is lost. */
  const underLoad = async (work: (load: Load) => Promise<void>) => {
    const load: Load = { acknowledged: [], failures: 0 };
    const reasons = new Set<string>();
    let longestMs = 0;
    let isDone = false;
    const repeat = async (request: () => Promise<string | null>) => {
      while (!isDone) {
        const start = performance.now();
        const failure = await request();
        longestMs = Math.max(longestMs, performance.now() - start);
        if (failure === null) continue;
        load.failures++;
        reasons.add(failure);
      }
    };
    const write = async (patient: number) => {
      const { status, id } = await addPolicy(patient);
      if (status !== 201) return String(status);
      load.acknowledged.push({ patient, id });
      return null;
    };
    const readLast = () => {
      const last = load.acknowledged.at(-1);
      return last ? readPolicy(last.id) : pause(10, null);
    };
    const clients = [
      ...patients.map((patient) => repeat(() => write(patient))),
      ...Array.from({ length: READERS }, () => repeat(readLast)),
    ];
    await work(load).finally(() => {
      isDone = true;
      return Promise.all(clients);
    });
    expect([...reasons]).toEqual([OVERLOADED]);
    expect(longestMs).toBeLessThan(MAX_REQUEST_MS);
    for (const patient of patients) {
      const stored = new Set((await policiesOf(patient)).map(({ id }) => id));
      const lost = load.acknowledged.filter((one) => one.patient === patient && !stored.has(one.id));
      expect(lost).toEqual([]);
    }
  };
  const untilWritten = ({ acknowledged }: Load) => {
    const before = acknowledged.length;
    return expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(before + 20);
  };
  /** Waits until no request has failed for a while. */
  const untilNoFailure = (load: Load) =>
    vi.waitFor(
      async () => {
        const { failures } = load;
        await pause(2_000);
        expect(load.failures).toBe(failures);
      },
      { timeout: 30_000 },
    );
  const promote = ({ ownerUrl }: Replica) => asAdmin(ownerUrl, (client) => client.query("SELECT pg_promote()"));
  /** Waits until the worker is notified of a write, and both stores agree. */
  const expectReplication = async () => {
    const isPending = async () => (await addPolicy(patients[0] as number)).isPending;
    await expect.poll(isPending, { timeout: 30_000 }).toBe(false);
    for (const patient of patients) await vi.waitFor(() => expectStoresAgree(patient), { timeout: 30_000 });
  };

  test("no connection to a standby can be used", async () => {
    for (let attempt = 0; attempt < 2; attempt++) {
      const client = new pg.Client({ connectionString: standbyUrl });
      client.on("error", () => {});
      await client.connect();
      await expect(client.query("SELECT 1")).rejects.toMatchObject({
        code: "08P01",
        message: "invalid server parameter",
      });
      await client.end();
    }
    await expectReplication();
  });

  test("writes go on after a switchover, and the former primary returns as a standby", async () => {
    const { primary, standby } = replicas;
    await underLoad(async (load) => {
      await untilWritten(load);
      await primary.shutDown();
      await promote(standby);
      await untilWritten(load);
      replicas.primary = standby;
      replicas.standby = await primary.restartAsStandby(standby);
      expect(replicas.standby.place).toBe(primary.place);
      await waitForCommits(replicas);
      await untilWritten(load);
      await untilNoFailure(load);
    });
    await expectReplication();
  });

  test("writes go on after the primary is killed, and the former primary is promoted", async () => {
    const { primary, standby } = replicas;
    await underLoad(async (load) => {
      await untilWritten(load);
      primary.crash();
      await promote(standby);
      await untilWritten(load);
      await untilNoFailure(load);
    });
    await expectReplication();
  });
});
