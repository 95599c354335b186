// Two servers and a worker behind PgBouncer, which has fewer connections to PostgreSQL than they have to it.
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { DatabaseClient } from "@/lib/platform/db/client.mjs";
import { CopyRows } from "@/lib/platform/db/copy-rows";
import { QueryGroup, runQuery } from "@/lib/platform/db/prepared-query";
import { copyInto } from "@/lib/platform/db/sql";
import { build } from "@/scripts/lib/build-steps.mjs";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { deploy } from "@/scripts/lib/migrations.mjs";
import { setSessionDefaults } from "@/scripts/lib/roles.mjs";
import { type Basics, MARIA, seedBasics, seedPatient } from "../support/api";
import { findPgBouncer, startPgBouncer } from "../support/pgbouncer.mjs";
import { runScript } from "../support/run-script";
import { type RunningServer, startServer } from "../support/servers";
import { expectStoresAgree } from "../support/stores";
import { WorkerProcess } from "../support/worker-process";

const SERVER_CONNECTIONS = 5;
const PATIENTS = 8;
const RANKS = ["primary", "secondary", "tertiary"];
const direct = process.env.DATABASE_URL as string;

describe.skipIf(!findPgBouncer())("behind PgBouncer", () => {
  let port: number;
  let bouncer: Awaited<ReturnType<typeof startPgBouncer>>;

  const start = async (settings: Record<string, string | number> = {}) => {
    await bouncer?.stop();
    bouncer = await startPgBouncer(direct, port, { default_pool_size: SERVER_CONNECTIONS, ...settings });
  };
  const settings = () => ({ DATABASE_URL: bouncer.url, DIRECT_DATABASE_URL: direct });

  beforeAll(async () => {
    await build();
    port = await freePort();
  });
  afterAll(() => bouncer?.stop());

  describe("a process does not start", () => {
    const failure = async (given: Record<string, string>) => {
      const { code, stderr } = await runScript("worker.ts", [], { LOG_LEVEL: "silent", ...given });
      expect(code).toBe(1);
      expect(stderr).not.toContain(new URL(direct).password);
      return stderr;
    };

    test("while the role lacks the settings of a session", async () => {
      await start();
      const stderr = await failure(settings());
      expect(stderr).toContain("statement_timeout is 0, not 30s");
      expect(stderr).toContain("npm run migrate -- deploy");
      expect(stderr).not.toContain("TimeZone");
      await setSessionDefaults(direct);
    });

    test("without a direct URL", async () => {
      await start();
      expect(await failure({ DATABASE_URL: bouncer.url })).toContain("DIRECT_DATABASE_URL is required");
      const command = await runScript("images.ts", ["check"], { DATABASE_URL: bouncer.url });
      expect(command.stderr).toContain("DIRECT_DATABASE_URL is required");
    });

    test("without a direct URL if PgBouncer ignores the settings", async () => {
      await start({ ignore_startup_parameters: "options" });
      expect(await failure({ DATABASE_URL: bouncer.url })).toContain("DIRECT_DATABASE_URL is required");
    });

    test("if the direct URL points to PgBouncer, too", async () => {
      await start();
      const wrong = { DATABASE_URL: bouncer.url, DIRECT_DATABASE_URL: bouncer.url };
      expect(await failure(wrong)).toContain("DIRECT_DATABASE_URL points to a connection pooler");
    });

    test("if PgBouncer does not manage prepared statements", async () => {
      await start({ max_prepared_statements: 0 });
      expect(await failure(settings())).toContain("max_prepared_statements is required");
    });
  });

  test("migrations are rejected, because their lock would be lost", async () => {
    await start();
    await expect(deploy(bouncer.url)).rejects.toThrow("MIGRATION_DATABASE_URL or DIRECT_DATABASE_URL");
  });

  test("a statement whose preparation failed can be prepared again", async () => {
    await start();
    const client = new DatabaseClient({ connectionString: bouncer.url, pipeline: true } as pg.ClientConfig & {
      connectionString: string;
    });
    await client.connect();
    const named = () => runQuery(client, { name: "again", text: "SELECT 1 AS one", values: [] });
    const failed = [client.query("BEGIN"), client.query("SELECT 1 / 0"), named(), client.query("ROLLBACK")];
    const outcomes = await Promise.allSettled(failed);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    for (let use = 0; use < 3; use++) expect((await named()).rows).toEqual([{ one: 1 }]);
    await client.end();
  });

  test("rows are copied between the statements that are sent with them", async () => {
    await start();
    const client = new DatabaseClient({ connectionString: bouncer.url, pipeline: true } as pg.ClientConfig & {
      connectionString: string;
    });
    await client.connect();
    const copy = async (lines: readonly string[]) => {
      const rows = new CopyRows();
      for (const line of lines) rows.add(line);
      const group = new QueryGroup(client as unknown as pg.Client);
      const create = { text: "CREATE TEMP TABLE copied (id int) ON COMMIT DROP", values: [] };
      const begin = { text: "BEGIN", values: [] };
      const read = { text: "SELECT sum(id)::int AS sum FROM copied", values: [] };
      const statements = [begin, create, { ...copyInto("copied", ["id"], rows), name: "copy" }, read];
      const outcomes = statements.map((statement) => runQuery(client, statement as pg.QueryConfig, group));
      group.end();
      const settled = await Promise.allSettled(outcomes);
      await client.query("ROLLBACK");
      return settled.map((one) => (one.status === "fulfilled" ? one.value.rows : one.reason.code));
    };
    const lines = Array.from({ length: 50_000 }, (_, at) => String(at));
    for (let use = 0; use < 3; use++) {
      expect(await copy(lines)).toEqual([[], [], [], [{ sum: 1_249_975_000 }]]);
      expect(await copy([...lines, "x"])).toEqual([[], [], "22P02", "25P02"]);
    }
    await client.end();
  });

  describe("two servers and a worker", () => {
    let basics: Basics;
    let patients: number[];
    let servers: RunningServer[];

    beforeAll(async () => {
      basics = await seedBasics();
      patients = [];
      for (let at = 0; at < PATIENTS; at++) patients.push(await seedPatient(basics.enabled, basics.physicians.enabled));
      await start();
      servers = await Promise.all([startServer("production", shared()), startServer("production", shared())]);
    });
    afterAll(() => Promise.all(servers.map((server) => server.stop())));

    const shared = () => ({ ...settings(), STREAM_CONSUMER: "worker", STREAM_WAIT_MS: "20000" });

    const send = async (at: number, method: string, path: string, body?: unknown) => {
      const response = await fetch(`${servers[at % 2]?.url}/api/2.0/${path}`, {
        method,
        headers: { authorization: `Bearer ${basics.token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, sync: response.headers.get("sync-status"), body: await response.json() };
    };

    /** Writes to both stores of all patients at once, through both servers. Returns the responses. */
    const writeAll = (member: string) =>
      Promise.all(
        patients.flatMap((patient, index) =>
          RANKS.flatMap((rank, at) => [
            send(index + at, "POST", `patients/${patient}/policies`, { ...MARIA, rank: at + 1, member_id: member }),
            send(index + at, "PATCH", `patients/${patient}`, { insurances: [{ rank, member_id: member }] }),
          ]),
        ),
      );
    const isReady = async ({ url }: RunningServer) => (await fetch(`${url}/readyz`)).status === 200;
    const allReady = async () => (await Promise.all(servers.map(isReady))).every(Boolean);

    test("write both stores at once, and each write wakes the worker", async () => {
      // Only a notification wakes it in time.
      const worker = await WorkerProcess.start({ ...shared(), STREAM_POLL_MS: "60000" });
      const responses = await writeAll("first");
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 201]));
      expect(responses.filter(({ sync }) => sync === "pending")).toEqual([]);
      expect(await allReady()).toBe(true);
      for (const patient of patients) await expectStoresAgree(patient);
      await worker.stop();
    });

    test("fail no request but those in progress when PgBouncer is restarted", async () => {
      const worker = await WorkerProcess.start(shared());
      const writing = writeAll("second");
      await start();
      for (const { status } of await writing) expect([200, 201, 503]).toContain(status);
      await expect.poll(allReady, { timeout: 20_000 }).toBe(true);
      const responses = await writeAll("third");
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 201]));
      for (const patient of patients) await expectStoresAgree(patient);
      await worker.stop();
    });

    test("hold their locks in PostgreSQL, so that they exclude others", async () => {
      const seed = () => runScript("seed.ts", ["--patients", "1"], settings());
      const { code, stderr } = await withAdvisoryLock({ name: "seed", taken: "taken", waitMs: 0 }, seed);
      expect(stderr).toContain("Another process is seeding this database.");
      expect(code).toBe(1);
      expect((await seed()).code).toBe(0);
    });
  });
});
