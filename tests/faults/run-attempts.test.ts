// Migration runs whose processes end or lose the database in the middle of their work.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { MAX_ATTEMPTS } from "@/lib/migration/runs/attempts";
import { createStartedRun } from "@/lib/migration/runs/migration-run";
import { workRun } from "@/lib/migration/work/run-worker";
import { db, sql } from "@/lib/platform/db/sql";
import { OverloadedError } from "@/lib/platform/errors";
import type { Source } from "@/lib/platform/files/source";
import { seedBasics } from "../support/api";
import { COMPANIES, legacyPatient, writeLines } from "../support/legacy-export";
import { createCheckedRun, requestFor, seedMigratingPractice } from "../support/migration-runs";
import { ownerUrl } from "../support/owner";
import { changeSettings, forgetProcessState } from "../support/process-state";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy";

const EXPORT = Buffer.from(JSON.stringify(legacyPatient(1)));

let database: TcpProxy;
let organization: number;
let run: number;

/** What a process knows about its attempts. */
const STATE = "crosswalkRunAttempts";
let current: string;

beforeAll(async () => {
  const url = new URL(process.env.DATABASE_URL as string);
  database = await startTcpProxy(url.href);
  url.host = database.place;
  await changeSettings({ DATABASE_URL: url.href });
  organization = (await seedBasics()).organization;
});
afterAll(() => database?.stop());

beforeEach(async () => {
  processes = new Map();
  current = "first";
  const practiceId = await seedMigratingPractice(organization);
  const named = { practiceId, name: "export.json", size: EXPORT.length, asOf: "2025-10-01" };
  run = await createStartedRun(requestFor(practiceId), { ...named, columns: null, companies: [] });
});

const source: Source = {
  size: EXPORT.length,
  async *read() {
    yield EXPORT;
  },
};

/** Works on the run until its database is cut off, which it also is when the attempt should end. */
async function loseDatabase(): Promise<void> {
  const failing: Source = {
    size: EXPORT.length,
    async *read() {
      database.refuse(true);
      yield EXPORT;
    },
  };
  await expect(workRun(run, { source: failing })).rejects.toThrow();
  database.refuse(false);
}

let processes: Map<string, unknown>;

/** Continues as another process. */
function become(name: string): void {
  const values = (globalThis as unknown as { crosswalkValues: Map<string, unknown> }).crosswalkValues;
  processes.set(current, values.get(STATE));
  if (processes.has(name)) values.set(STATE, processes.get(name));
  else values.delete(STATE);
  current = name;
}

const findRun = () =>
  db.one<{ state: string; error: string | null; attempted: number }>(
    sql`SELECT state, error, cardinality(attempted_by) AS attempted FROM migration_run WHERE id = ${run}`,
  );

test("losing the database never counts as a crash, even if it happens to several processes repeatedly", async () => {
  const names = ["first", "second", "third", "fourth", "fifth"];
  for (const name of [...names, ...names]) {
    become(name);
    await loseDatabase();
    await loseDatabase();
    expect(await findRun()).toMatchObject({ state: "reading", attempted: 1 });
    // As it looks for work again, the run can be at another process.
    expect(await workRun(run, { source, signal: AbortSignal.abort() })).toMatchObject({ state: "reading" });
    expect(await findRun()).toMatchObject({ attempted: 0 });
  }
  expect((await workRun(run, { source }))?.state).toBe("checked");
});

test("a process that lost the database removes its attempt while another process is working", async () => {
  await loseDatabase();
  become("second");
  const counts: number[] = [];
  const reading: Source = {
    size: EXPORT.length,
    async *read() {
      yield EXPORT;
      if (counts.length > 0) return;
      counts.push((await findRun()).attempted);
      become("first");
      await expect(workRun(run, { source })).rejects.toMatchObject({ reason: "already_running" });
      counts.push((await findRun()).attempted);
      become("second");
    },
  };
  expect((await workRun(run, { source: reading }))?.state).toBe("checked");
  expect(counts).toEqual([2, 1]);
});

test("a run fails with an explanation after three processes have ended while working on it", async () => {
  for (let at = 0; at < MAX_ATTEMPTS; at++) {
    await loseDatabase();
    await forgetProcessState();
    expect(await findRun()).toMatchObject({ state: "reading", attempted: at + 1 });
  }
  expect((await workRun(run, { source }))?.state).toBe("failed");
  expect((await findRun()).error).toContain("made no progress after byte 0 in 3 attempts, because its process ended");
});

test("a conversion that loses the database while it waits for its lock is resumed", async () => {
  const practiceId = await seedMigratingPractice(organization);
  const file = writeLines("converted.ndjson", [legacyPatient(1)]);
  const checked = await createCheckedRun(practiceId, file, { companies: writeLines("companies.ndjson", COMPANIES) });
  await startConversion(requestFor(practiceId), checked);
  const importer = new pg.Client({ connectionString: ownerUrl() });
  importer.on("error", () => {});
  await importer.connect();
  await importer.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [`import into practice ${practiceId}`]);
  const working = expect(workRun(checked)).rejects.toBeInstanceOf(OverloadedError);
  const attempted = sql`SELECT FROM migration_run WHERE id = ${checked} AND cardinality(attempted_by) = 1`;
  await expect.poll(() => db.first(attempted)).not.toBeNull();
  database.refuse(true);
  await working;
  database.refuse(false);
  await importer.end();
  expect(await workRun(checked)).toMatchObject({ state: "converted", error: null });
});
