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
import { findRun } from "@/lib/migration/runs/queries";
import type { WorkState } from "@/lib/migration/runs/run-states";
import type { RunRow } from "@/lib/migration/runs/schema";
import { closePool } from "@/lib/platform/db/pool";
import { db } from "@/lib/platform/db/sql";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { MIGRATION_NODE_OPTIONS } from "@/scripts/lib/node-options.mjs";
import { ROOT } from "@/scripts/lib/paths.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { type Basics, seedBasics, seedPhysician, seedPractice } from "@/tests/support/api";
import { generatePatients, writeNdjson } from "@/tests/support/generated-export";
import { bundleBench, bundleOf } from "./bundle";
import { createDatabase, describeSettings } from "./database";
import { startMachineCheck } from "./machine";
import { createRun, DATABASE, decideAll, hashContent, type Measured, WINDOW } from "./migration-work";
import { table } from "./report";

const GOAL_MIB = 500;
/** Insurances per second on two cores. */
const GOALS: Record<string, number> = { check: 10_000, convert: 5_000, verify: 10_000, "roll back": 5_000 };

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

/** Starts a process for part of the work. */
function startProcess(args: readonly string[]) {
  const nodeOptions = (process.env.BENCH_NODE_OPTIONS ?? "").split(" ").filter(Boolean);
  const options = [...MIGRATION_NODE_OPTIONS, ...nodeOptions];
  const child = spawn(process.execPath, [...options, bundleOf("migration-process.ts"), ...args], {
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
  // A run starts a thread that reads the file.
  await bundleBench(["bench/migration-process.ts", "scripts/read-export.ts"]);
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
  const killed = values.kills
    ? await step("Repeating the run and killing it ten times", () => runKilled(file, organization))
    : null;
  const settings = await describeSettings(process.env.DATABASE_URL as string);
  if (values.json) say(JSON.stringify({ insurances, records, mib, speeds, settings, ...measured }, null, 2));
  else {
    say(report(measured, insurances));
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
  const isFast = measured.works.every(({ name, seconds }) => insurances / seconds >= (GOALS[name] ?? 0));
  return measured.peakMib < GOAL_MIB && measured.different === 0 && isSame && isFast ? 0 : 1;
}

function compareWithGoal(rate: number, goal: number | undefined): string {
  if (goal === undefined) return "-";
  return `${goal}: ${rate >= goal ? "met" : "MISSED"}`;
}

function report({ works, decisions, peakMib, cpuSeconds }: Measured, insurances: number): string {
  const rows = works.map(({ name, records, seconds, first, last, ...cpu }) => [
    name,
    seconds.toFixed(1),
    String(Math.round(insurances / seconds)),
    compareWithGoal(insurances / seconds, GOALS[name]),
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
    "goal",
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

await main(bench);
