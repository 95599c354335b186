// node scripts/run.mjs bench/migration-run.ts [--insurances 1000000] [--no-roll-back] [--kills] [--json]
// Measures a whole migration run of a generated export in a separate process: records per second of each kind of work, the time per record
// at the end compared with the beginning, and memory. With --kills, it converts the same export again in processes that are killed ten
// times, and compares the data. README.md explains the results.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual, parseArgs } from "node:util";
import pg from "pg";
import { checkRun } from "@/lib/migration/check/check-run";
import { convertRun, startConversion } from "@/lib/migration/convert/convert-run";
import { readRun } from "@/lib/migration/read/read-run";
import { rollBackRun, startRollBack } from "@/lib/migration/rollback/roll-back-run";
import { createStartedRun } from "@/lib/migration/runs/migration-run";
import { findRun } from "@/lib/migration/runs/queries";
import { getRunTotals } from "@/lib/migration/runs/run-counts";
import { isAtWork, type WorkState } from "@/lib/migration/runs/run-states";
import type { RunRow, WorkOptions } from "@/lib/migration/runs/schema";
import { startVerification, verifyRun } from "@/lib/migration/verify/verify-run";
import { workRun } from "@/lib/migration/work/run-worker";
import { closePool } from "@/lib/platform/db/pool";
import { db, sql } from "@/lib/platform/db/sql";
import { fileSource } from "@/lib/platform/files/source";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { leaveOut } from "@/scripts/lib/migration-decisions";
import { requestFor } from "@/scripts/lib/migration-runs";
import { MIGRATION_NODE_OPTIONS } from "@/scripts/lib/node-options.mjs";
import { ROOT } from "@/scripts/lib/paths.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { type Basics, seedBasics, seedPhysician, seedPractice } from "@/tests/support/api";
import { GENERATED_COMPANIES, generatePatients, writeNdjson } from "@/tests/support/generated-export";
import { runContent } from "@/tests/support/run-content";
import { readUsage } from "./cpu";
import { createDatabase, describeSettings } from "./database";
import { startMachineCheck } from "./machine";
import { table } from "./report";
import { readWal } from "./wal";

const ALL_ERRORS = { reason: "a benchmark", onlyPast: false, until: Number.MAX_SAFE_INTEGER };

const DATABASE = "crosswalk_bench_migration";
/** The number of records at the beginning and at the end whose times are compared. */
const WINDOW = 10_000;
const GOAL_MIB = 500;
/** Insurances per second on the machine for which the goals were set (`startMachineCheck`). */
const GOALS: Record<string, number> = { check: 10_000, convert: 5_000, verify: 10_000, "roll back": 5_000 };

interface Work {
  name: string;
  records: number;
  seconds: number;
  /** Microseconds per record, for the first and last WINDOW records. Null if there are too few batches to measure. */
  first: number | null;
  last: number | null;
  /** User and system time of the process with all threads, and of its database connections. */
  cpuSeconds: number;
  databaseCpuSeconds: number;
  /** Bytes of the write-ahead log. */
  walBytes: number;
}

interface Measured {
  works: Work[];
  decisions: { records: number; seconds: number };
  different: number;
  /** The data of the practice and the run after the conversion, as hashes. */
  content: Record<string, string>;
  peakMib: number;
  cpuSeconds: number;
}

/** Runs one kind of work and measures its batches. */
async function measureWork(
  name: string,
  records: number,
  run: RunRow,
  work: (run: RunRow, options: WorkOptions) => Promise<RunRow>,
): Promise<Work> {
  const walBefore = await readWal();
  const [started, cpuBefore, databaseBefore] = [performance.now(), process.cpuUsage(), await readDatabaseCpu()];
  const batches: { records: number; ms: number }[] = [];
  // Reading counts bytes, which are converted to records.
  const onProgress = ({ done, total }: RunRow) =>
    batches.push({ records: (done / total) * records, ms: performance.now() });
  await work(run, { onProgress });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const databaseCpuSeconds = (await readDatabaseCpu()) - databaseBefore;
  const walBytes = (await readWal()) - walBefore;
  const window = Math.min(WINDOW, records / 2);
  const cost = (from: number, to: number) => {
    const inside = batches.filter((batch) => batch.records >= from && batch.records <= to);
    const [begin, end] = [inside[0], inside.at(-1)];
    return begin && end && begin !== end ? ((end.ms - begin.ms) * 1000) / (end.records - begin.records) : null;
  };
  const costs = { first: cost(0, window), last: cost(records - window, records) };
  return { name, records, seconds, ...costs, cpuSeconds: (user + system) / 1e6, databaseCpuSeconds, walBytes };
}

/** Returns the CPU time that the database connections used so far, in seconds; 0 if the database runs on another machine. */
async function readDatabaseCpu(): Promise<number> {
  const { host } = new pg.Client({ connectionString: process.env.DATABASE_URL });
  if (host !== "127.0.0.1") return 0;
  const backends = await db.rows<{ pid: number }>(sql`SELECT pid FROM pg_stat_activity WHERE datname = ${DATABASE}`);
  return backends.reduce((sum, { pid }) => sum + readUsage(pid).cpuMs, 0) / 1000;
}

/** Creates a run for the file. Its file is read next. */
async function createRun(file: string, practiceId: number): Promise<number> {
  const { size } = await fileSource(file);
  const companies = GENERATED_COMPANIES.map(({ id, ...fields }) => ({ externalId: id, fields }));
  const upload = { practiceId, name: path.basename(file), size, asOf: "2025-10-01", columns: null };
  const request = requestFor(practiceId, "a benchmark");
  return createStartedRun(request, { ...upload, companies });
}

/** Counts and hashes each kind of rows of a practice and a run. The results are equal for two runs of one export. */
async function hashContent(practiceId: number, runId: number): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  try {
    const hashes: Record<string, string> = {};
    for (const [kind, { text, values }] of Object.entries(runContent(practiceId, runId))) {
      const { rows } = await client.query(
        `SELECT count(*) || ' ' || md5(string_agg(md5(row::text), '' ORDER BY md5(row::text))) AS hash FROM (${text}) AS content`,
        values as unknown[],
      );
      hashes[kind] = rows[0].hash ?? "none";
    }
    return hashes;
  } finally {
    await client.end();
  }
}

async function measure(file: string, practiceId: number, records: number, rollsBack: boolean): Promise<Measured> {
  const source = await fileSource(file);
  const request = requestFor(practiceId, "a benchmark");
  const id = await createRun(file, practiceId);
  const currentRun = async () => (await findRun(db, id)) as RunRow;

  const works: Work[] = [];
  works.push(await measureWork("read", records, await currentRun(), (run, options) => readRun(run, source, options)));
  works.push(await measureWork("check", records, await currentRun(), checkRun));
  const started = performance.now();
  const { records: left } = await leaveOut(request, id, ALL_ERRORS);
  const decisions = { records: left, seconds: (performance.now() - started) / 1000 };
  await startConversion(request, id);
  works.push(await measureWork("convert", records, await currentRun(), convertRun));
  const content = await hashContent(practiceId, id);
  await startVerification(request, id);
  works.push(await measureWork("verify", records, await currentRun(), verifyRun));
  const { states } = await getRunTotals(id);
  if (states.verified !== records - left) throw new Error(`not all records were verified: ${JSON.stringify(states)}`);
  if (rollsBack) {
    await startRollBack(request, id);
    works.push(await measureWork("roll back", records, await currentRun(), rollBackRun));
  }
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const { different = 0 } = states;
  return {
    works,
    decisions,
    different,
    content,
    peakMib: maxRSS / 1024,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
  };
}

/** When processes are killed: in which state, and after which share of the work. */
const KILLS: { state: WorkState; share: number }[] = [
  ...[0.25, 0.75].map((share) => ({ state: "reading" as const, share })),
  ...[0.2, 0.5, 0.8].map((share) => ({ state: "checking" as const, share })),
  ...[0.1, 0.3, 0.5, 0.7, 0.9].map((share) => ({ state: "converting" as const, share })),
];

/**
 * Converts the same export into another practice, in processes that are killed before they finish.
 *
 * @returns the final data, as hashes
 */
async function runKilled(file: string, organization: number): Promise<Record<string, string>> {
  const practiceId = await seedPractice(organization, "Killed", true);
  await seedPhysician(practiceId);
  const runId = await createRun(file, practiceId);
  const currentRun = async () => (await findRun(db, runId)) as RunRow;
  for (const { state, share } of KILLS) {
    const child = startProcess(["--work", file, String(runId)]);
    for (;;) {
      const run = await currentRun();
      if (run.state === "checked") await decideAll(practiceId, runId);
      if (run.state === state && run.done / run.total >= share) break;
      if (child.exitCode !== null && run.state !== "checked")
        throw new Error(`the process ended before it was killed in ${state}`);
      await pause(50);
    }
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
    const { done, total } = await currentRun();
    process.stderr.write(`  killed in ${state} at ${done} of ${total}\n`);
  }
  const last = startProcess(["--work", file, String(runId)]);
  await new Promise((resolve) => last.once("close", resolve));
  if ((await currentRun()).state !== "converted") throw new Error(`the run is ${(await currentRun()).state}`);
  return hashContent(practiceId, runId);
}

async function decideAll(practiceId: number, runId: number): Promise<void> {
  const request = requestFor(practiceId, "a benchmark");
  await leaveOut(request, runId, ALL_ERRORS);
  await startConversion(request, runId);
}

/** Starts this program in another process, for part of the work. */
function startProcess(args: readonly string[]) {
  const nodeOptions = (process.env.BENCH_NODE_OPTIONS ?? "").split(" ").filter(Boolean);
  const options = [...MIGRATION_NODE_OPTIONS, ...nodeOptions];
  const child = spawn(process.execPath, [...options, "--import", "tsx", import.meta.filename, ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, LOG_LEVEL: "silent" },
  });
  onEnd(() => {
    child.kill("SIGKILL");
  });
  return child;
}

/** Measures a run in a separate process, so that its memory is that of the run. */
function measureInProcess(file: string, practiceId: number, records: number, rollsBack: boolean): Promise<Measured> {
  const child = startProcess(["--measure", file, String(practiceId), String(records), String(rollsBack)]);
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return new Promise((resolve, reject) =>
    child.once("close", (code) =>
      code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`the run exited with code ${code}`)),
    ),
  );
}

async function prepare(): Promise<Basics> {
  process.env.DATABASE_URL = (await createDatabase(DATABASE)).url;
  onEnd(closePool);
  return seedBasics();
}

async function bench(): Promise<number> {
  const { values } = parseArgs({
    options: {
      insurances: { type: "string", default: "1000000" },
      "no-roll-back": { type: "boolean", default: false },
      kills: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const insurances = Number(values.insurances);
  if (!(insurances >= 1_000)) throw new Failure("--insurances must be at least 1,000");
  const { enabled: practiceId, organization } = await step("Creating a database", prepare);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-run-"));
  onEnd(() => fs.rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, `${insurances}.ndjson`);
  const records = await step(`Generating ${insurances} insurances`, () =>
    writeNdjson(file, generatePatients({ insurances })),
  );
  const mib = Math.round(fs.statSync(file).size / 1024 ** 2);
  const measureMachine = await step("Warming up the bound", startMachineCheck);
  const before = await step("Measuring this machine", measureMachine);
  const measured = await step("Measuring a run", () =>
    measureInProcess(file, practiceId, records, !values["no-roll-back"]),
  );
  const speeds = [before, await step("Measuring this machine again", measureMachine)];
  // The faster one makes the goals harder.
  const speed = Math.max(...speeds);
  const killed = values.kills
    ? await step("Repeating the run and killing it ten times", () => runKilled(file, organization))
    : null;
  const settings = await describeSettings(process.env.DATABASE_URL as string);
  if (values.json) say(JSON.stringify({ insurances, records, mib, speeds, settings, ...measured }, null, 2));
  else {
    say(report(measured, insurances, speed));
    say(`${records} records with ${insurances} current insurances, ${mib} MiB`);
    say(`PostgreSQL: ${settings}`);
    say(`speed of this machine before and after the run: ${speeds.map((each) => each.toFixed(2)).join(", ")}`);
  }
  const isSame = killed === null || isDeepStrictEqual(killed, measured.content);
  if (killed) {
    const rows = Object.entries(measured.content).map(([kind, hash]) => [
      kind,
      hash,
      killed[kind] === hash ? "equal" : "DIFFERENT",
    ]);
    say(table(["kind", "rows and hash", `killed ${KILLS.length} times`], rows));
  }
  const isFast = measured.works.every(({ name, seconds }) => insurances / seconds >= goalOf(name, speed));
  return measured.peakMib < GOAL_MIB && measured.different === 0 && isSame && isFast ? 0 : 1;
}

/** Returns the insurances per second that a kind of work must reach on a machine of this speed; 0 if it has no goal. */
function goalOf(name: string, speed: number): number {
  return (GOALS[name] ?? 0) * speed;
}

function compareWithGoal(rate: number, goal: number): string {
  if (goal === 0) return "-";
  return `${Math.round(goal)}: ${rate >= goal ? "met" : "MISSED"}`;
}

function report({ works, decisions, peakMib, cpuSeconds }: Measured, insurances: number, speed: number): string {
  const rows = works.map(({ name, records, seconds, first, last, ...cpu }) => [
    name,
    seconds.toFixed(1),
    String(Math.round(insurances / seconds)),
    compareWithGoal(insurances / seconds, goalOf(name, speed)),
    String(Math.round(records / seconds)),
    ((seconds * 1e6) / records).toFixed(0),
    first?.toFixed(0) ?? "-",
    last?.toFixed(0) ?? "-",
    first && last ? (last / first).toFixed(2) : "-",
    ((cpu.cpuSeconds * 1e6) / records).toFixed(0),
    ((cpu.databaseCpuSeconds * 1e6) / records).toFixed(0),
    (cpu.walBytes / 1000 / records).toFixed(1),
  ]);
  const columns = [
    "work",
    "s",
    "insurances/s",
    "goal here",
    "records/s",
    "µs per record",
    `first ${WINDOW}`,
    `last ${WINDOW}`,
    "ratio",
    "CPU µs",
    "database CPU µs",
    "WAL kB",
  ];
  return [
    table(columns, rows),
    `${decisions.records} records skipped in ${decisions.seconds.toFixed(1)} s`,
    `peak memory ${peakMib.toFixed(0)} MiB (goal: under ${GOAL_MIB}), CPU of the process ${cpuSeconds.toFixed(1)} s`,
  ].join("\n");
}

if (process.argv[2] === "--measure") {
  const [file, practiceId, records, rollsBack] = process.argv.slice(3);
  const measured = await measure(file as string, Number(practiceId), Number(records), rollsBack === "true");
  process.stdout.write(JSON.stringify(measured));
  await closePool();
} else if (process.argv[2] === "--work") {
  const [file = "", runId] = process.argv.slice(3);
  const source = await fileSource(file);
  // Waits for decisions after the check, and until a killed process has released the run.
  for (;;) {
    const run = await workRun(Number(runId), { source }).catch(() => null);
    if (run && !isAtWork(run.state) && run.state !== "checked") break;
    await pause(200);
  }
  await closePool();
} else await main(bench);
