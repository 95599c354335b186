// A process that works on a migration run is killed (SIGKILL) ten times, during a batch or soon after one: while
// reading, checking, converting, verifying and rolling back. The result equals an undisturbed run of the same file in
// another practice.
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { createStartedRun } from "@/lib/migration/runs/migration-run";
import { findRun } from "@/lib/migration/runs/queries";
import { countRun, getRunTotals } from "@/lib/migration/runs/run-counts";
import type { WorkState } from "@/lib/migration/runs/run-states";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { fingerprintSource } from "@/lib/platform/files/read-lines";
import { fileSource } from "@/lib/platform/files/source";
import { programOf } from "@/scripts/lib/programs.mjs";
import { owner } from "@/tests/support/owner";
import { type Basics, seedBasics, seedPhysician, seedPractice } from "../support/api";
import {
  COMPANIES,
  expectImagesComplete,
  expectStoresEqual,
  legacyCard,
  legacyInsurance,
  legacyPatient,
  pastInsurance,
  writeLines,
} from "../support/legacy-export";
import {
  acceptFixes,
  convert,
  createCheckedRun,
  requestFor,
  rollBack,
  skipErrors,
  verify,
} from "../support/migration-runs";
import { rounds } from "../support/rounds";
import { runContent } from "../support/run-content";

const RECORDS = 1_000;
/** Patients that the practice already has: the run updates them, ends their insurances, or finds them unchanged. */
const KNOWN = 240;
const REASON = "a test";

/** Builds a patient of the export, some with a fault. */
async function patientOf(n: number) {
  const cards = n % 40 === 0 ? { insurance_cards: [await legacyCard(n)] } : {};
  const faults = (n > KNOWN && { 7: { copay: "$20" }, 11: { member_id: null } }[n % 50]) || {};
  const moved = n <= KNOWN && n % 3 === 2;
  const changed = n <= KNOWN && n % 3 === 0 ? { member_id: `NEW${n}` } : {};
  const current = legacyInsurance(10 * n, { ...changed, ...faults });
  // One ID appears on two patients.
  const past = [pastInsurance(n === 501 ? 5001 : 10 * n + 1), pastInsurance(10 * n + 2, { rank: "secondary" })];
  const ended = { end_date: "2024-06-30", deleted_date: "2024-07-01T09:00:00Z" };
  return legacyPatient(n, {
    ...(moved
      ? { insurances: [], deleted_insurances: [...past, { ...current, ...ended }] }
      : { insurances: [current] }),
    ...(n % 50 === 9 ? { dob: "?" } : {}),
    ...(moved ? {} : cards),
  });
}

/** Runs one of the commands, as a user does. */
function start(command: string, args: readonly string[]) {
  const child = spawn(process.execPath, [programOf(`crosswalk-${command}.ts`), ...args], {
    env: process.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, exited, output: () => output };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Makes a process wait at these records when it creates (1) or changes (2) them, in the middle of its batch. */
async function installHolds(records: readonly number[]): Promise<void> {
  await owner.run(sql`
    CREATE FUNCTION wait_while_held() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(CASE TG_OP WHEN 'INSERT' THEN 1 ELSE 2 END, NEW.number);
      RETURN NEW;
    END $$`);
  await owner.run(sql`
    CREATE TRIGGER wait_while_held BEFORE INSERT OR UPDATE ON migration_record FOR EACH ROW
    WHEN (NEW.number IN (${raw(records.join(", "))})) EXECUTE FUNCTION wait_while_held()`);
}

/** Blocks the process that creates or changes a record. */
async function holdRecord({ state, at }: Kill) {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  await client.query("SELECT pg_advisory_lock($1, $2)", [state === "reading" ? 1 : 2, at]);
  const waiting = "SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))";
  return { isWaitedFor: async () => (await client.query(waiting)).rows.length > 0, release: () => client.end() };
}

const readProgress = async (runId: number) => {
  const run = await findRun(db, runId);
  return { state: run?.state, done: run?.done ?? 0, total: run?.total ?? 0 };
};

interface Kill {
  state: WorkState;
  /** The record at which the process is stopped. */
  at: number;
  /** Whether it is killed there, with its batch written but not committed, or some time after it continued. */
  where: "inside" | "after";
}

/** Starts a command and kills it in the middle of its work. */
async function killAt(runId: number, how: Kill, command: string, args: readonly string[]): Promise<void> {
  const { state, where } = how;
  const hold = await holdRecord(how);
  const { child, exited, output } = start(command, args);
  const before = await readProgress(runId);
  try {
    while (!(await hold.isWaitedFor())) {
      expect([child.exitCode, output()], `it waits in ${state}`).toEqual([null, expect.any(String)]);
      await pause(5);
    }
    if (where === "inside") await kill(child, exited);
  } finally {
    await hold.release();
  }
  if (where === "after") {
    // Verifying the rest takes longer.
    await pause(Math.random() * 10);
    await kill(child, exited);
  }
  // The last batch may still be committing or rolling back after its process died.
  await untilAlone(runId);
  const after = await readProgress(runId);
  expect(after.state, `killed in ${state}`).toBe(state);
  expect(after.done, "some batches were done").toBeGreaterThan(0);
  expect(after.done, "some batches were not done").toBeLessThan(after.total);
  if (before.state === state) expect(after.done).toBeGreaterThanOrEqual(before.done);
}

async function kill(child: ChildProcess, exited: Promise<number | null>): Promise<void> {
  child.kill("SIGKILL");
  expect(await exited).toBe(null);
}

/** Waits until no process holds the run. */
async function untilAlone(runId: number): Promise<void> {
  await db.run(sql`SELECT id FROM migration_run WHERE id = ${runId} FOR UPDATE`);
  for (;;) {
    const other = await db.first(sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`);
    if (!other) return;
    await pause(10);
  }
}

/** Reads the content of a practice and a run. */
async function contentOf(practiceId: number, runId: number): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = {};
  for (const [what, statement] of Object.entries(runContent(practiceId, runId))) {
    content[what] = (
      await db.rows<{ row: unknown }>(sql`SELECT row FROM (${statement}) AS content ORDER BY place`)
    ).map(({ row }) => row);
  }
  return {
    ...content,
    totals: await getRunTotals(runId),
    // An undisturbed run adds up the counts of its batches.
    counts: await countRun(runId),
    verification: (await findRun(db, runId))?.verification,
  };
}

async function expectSame(disturbed: [number, number], undisturbed: [number, number]): Promise<void> {
  const [was, is] = [await contentOf(...undisturbed), await contentOf(...disturbed)];
  for (const what of Object.keys(was)) expect(is[what], what).toEqual(was[what]);
}

async function practiceWithKnown(basics: Basics, name: string, earlier: string, companies: string): Promise<number> {
  const practiceId = await seedPractice(basics.organization, name, true);
  await seedPhysician(practiceId);
  await convert(practiceId, await createCheckedRun(practiceId, earlier, { companies }));
  return practiceId;
}

async function finish(command: string, args: readonly string[], code: number): Promise<void> {
  const { exited, output } = start(command, args);
  expect([await exited, output()]).toEqual([code, expect.any(String)]);
}

beforeAll(() => installHolds([240, 350, 450, 550, 650]));

const ROUNDS = Array.from({ length: rounds(1) }, (_, at) => at + 1);
test.each(ROUNDS)("killed ten times, a run has the same result as an undisturbed one (%i)", compareRuns, 240_000);

async function compareRuns(): Promise<void> {
  const basics = await seedBasics();
  const companies = writeLines("companies.ndjson", COMPANIES);
  const lines = await Promise.all(Array.from({ length: RECORDS }, (_, at) => patientOf(at + 1)));
  const known = Array.from({ length: KNOWN }, (_, at) => legacyPatient(at + 1));
  const earlier = writeLines("earlier.ndjson", known);
  const file = writeLines("patients.ndjson", lines);

  const calm = await practiceWithKnown(basics, "Undisturbed", earlier, companies);
  const calmRun = await createCheckedRun(calm, file, { companies });
  const practice = await practiceWithKnown(basics, "Killed", earlier, companies);
  const runId = await createStartedRun(requestFor(practice), {
    practiceId: practice,
    name: path.basename(file),
    asOf: "2025-10-01",
    ...(await fingerprintSource(await fileSource(file))),
    columns: null,
    companies: COMPANIES.map(({ id, ...fields }) => ({ externalId: id, fields })),
  });
  const killed: [number, number] = [practice, runId];
  const undisturbed: [number, number] = [calm, calmRun];

  const converting = [file, "--practice", String(practice)];
  await killAt(runId, { state: "reading", at: 350, where: "inside" }, "convert", converting);
  await killAt(runId, { state: "reading", at: 550, where: "after" }, "convert", converting);
  // Two batches of 200 records are written at once. When the third waits, the first has committed.
  await killAt(runId, { state: "checking", at: 450, where: "inside" }, "convert", converting);
  await killAt(runId, { state: "checking", at: 550, where: "after" }, "convert", converting);
  await finish("convert", converting, 1);
  await expectSame(killed, undisturbed);

  for (const [practiceId, run] of [killed, undisturbed] as const) {
    expect(await acceptFixes(practiceId, run)).toBe(15);
    await skipErrors(practiceId, run);
  }
  await convert(...undisturbed);
  // A patient of the practice, with new card images, which are stored by then.
  await killAt(runId, { state: "converting", at: 240, where: "inside" }, "convert", converting);
  await killAt(runId, { state: "converting", at: 650, where: "inside" }, "convert", converting);
  await finish("convert", converting, 0);
  await expectSame(killed, undisturbed);
  await expectStoresEqual(practice);
  await expectImagesComplete();

  await verify(...undisturbed);
  await killAt(runId, { state: "verifying", at: 450, where: "inside" }, "verify", [String(runId)]);
  await killAt(runId, { state: "verifying", at: 450, where: "after" }, "verify", [String(runId)]);
  await finish("verify", [String(runId)], 0);
  await expectSame(killed, undisturbed);

  await rollBack(...undisturbed);
  const rollingBack = [String(runId), "--reason", REASON];
  await killAt(runId, { state: "rolling_back", at: 240, where: "inside" }, "rollback", rollingBack);
  await killAt(runId, { state: "rolling_back", at: 550, where: "after" }, "rollback", rollingBack);
  await finish("rollback", rollingBack, 0);
  await expectSame(killed, undisturbed);
  await expectImagesComplete();
  expect(await db.first(sql`SELECT count(*) AS runs FROM migration_run WHERE practice_id = ${practice}`)).toEqual({
    runs: 2,
  });
}
