// node scripts/run.mjs bench/attacks.ts [--only sign-ins|images|upload|body] [--seconds 15] [--json]
// Attacks the production server while 16 clients read policies. Prints the responses to the attacks and the readers, and the server's
// memory. Exits with 1 if a goal is missed.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { closePool } from "@/lib/platform/db/pool";
import { db, sql } from "@/lib/platform/db/sql";
import { build } from "@/scripts/lib/build-steps.mjs";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { Browser } from "@/tests/support/sign-in";
import { signInAs } from "@/tests/support/staff";
import { ATTACKS, type AttackName, type AttackResult, createImageBombs, type Victim } from "./attack-kinds";
import { bundleBench, bundleOf } from "./bundle";
import { watchMemory } from "./cpu";
import { createDatabase } from "./database";
import type { ReaderResult, ReaderSpec } from "./readers";
import { median, table } from "./report";
import { type BenchData, seedBench } from "./seed-bench";
import { startServer } from "./servers";

const DATABASE = "crosswalk_bench_attacks";
const [CLIENTS, READS_PER_SECOND] = [16, 10];
const GOALS = { p99Ms: 500, growthMiB: 150 };
/** How long the readers run before and after an attack. */
const MARGIN_MS = 2_000;

interface Report {
  quiet: ReaderResult;
  attacked: ReaderResult;
  memory: { before: number; peak: number; peakWithChildren: number; after: number };
  attacks: Record<string, AttackResult[]>;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      seconds: { type: "string", default: "15" },
      json: { type: "boolean", default: false },
    },
  });
  const names = (values.only ?? Object.keys(ATTACKS)) as AttackName[];
  const unknown = names.find((name) => !Object.hasOwn(ATTACKS, name));
  if (unknown) throw new Failure(`unknown attack ${unknown}. Attacks: ${Object.keys(ATTACKS).join(", ")}`);
  const seconds = Number(values.seconds);
  if (!(seconds >= 1)) throw new Failure("--seconds must be at least 1");
  return { names, seconds, json: values.json };
}

await main(async () => {
  const { names, seconds, json } = readOptions();
  await build();
  await bundleBench(["bench/readers.ts"]);
  const { url, data } = await step("Creating a database with 10,000 patients", async () => {
    const created = await createDatabase(DATABASE);
    process.env.DATABASE_URL = created.url;
    return { url: created.url, data: await seedBench(created.ownerUrl) };
  });
  onEnd(closePool);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-bench-"));
  onEnd(() => fs.rmSync(folder, { recursive: true, force: true }));
  const started = await startServer("crosswalk", {
    DATABASE_URL: url,
    CROSSWALK_DATA_DIR: folder,
    IMAGE_STORE_DIR: path.join(folder, "images"),
    RATE_LIMIT_PER_SECOND: "1000000",
    STREAM_CONSUMER: "inline",
    PUBLIC_URL: "",
  });
  const bombs = await step("Creating image bombs", createImageBombs);
  const victim = { url: started.url, token: data.token, bombs, ...(await createStaff()) };
  const report = await attack({ names, seconds, victim, pid: started.pid, data });
  if (json) say(JSON.stringify(report, null, 2));
  else printReport(report);
  return findMisses(report).length > 0 ? 1 : 0;
});

async function createStaff(): Promise<Pick<Victim, "practice" | "email" | "cookie">> {
  const practice = (await db.first<{ id: number }>(sql`SELECT id FROM practice ORDER BY id LIMIT 1`))?.id as number;
  const { email, cookie } = await signInAs("staff", [practice]);
  return { practice, email, cookie };
}

async function signOnce({ url }: Victim): Promise<void> {
  await new Browser(url).signIn("nobody@example.org", "a wrong password");
}

async function attack(options: {
  names: AttackName[];
  seconds: number;
  victim: Victim;
  pid: number;
  data: BenchData;
}): Promise<Report> {
  const { names, seconds, victim, pid, data } = options;
  const spec = {
    url: victim.url,
    token: data.token,
    targets: data.targets,
    clients: CLIENTS,
    perSecond: READS_PER_SECOND,
  };
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  // The first sign-in after a start loads code, which is not a cost of the attack.
  await step("Warming up", () => whileReading(spec, () => Promise.all([pause(5_000), signOnce(victim)])));
  const quiet = await step("Reading without an attack", () => whileReading(spec, () => pause(seconds * 1_000)));
  const memory = watchMemory(pid);
  const { result: attacks, ...attacked } = await step(`Attacking: ${names.join(", ")}`, () =>
    whileReading(spec, async () => {
      await pause(MARGIN_MS);
      const minimum = pause(seconds * 1_000);
      const outcomes = await Promise.all(names.map(async (name) => [name, await ATTACKS[name](victim)] as const));
      await minimum;
      await pause(MARGIN_MS);
      return Object.fromEntries(outcomes);
    }),
  );
  return { quiet, attacked, memory: memory.stop(), attacks };
}

/** Runs `work` while the readers send requests. */
async function whileReading<T>(spec: ReaderSpec, work: () => Promise<T>): Promise<ReaderResult & { result: T }> {
  const child = spawn(
    process.execPath,
    [bundleOf("readers.ts"), JSON.stringify({ ...spec, targets: spec.targets.slice(0, 1_000) })],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  onEnd(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const result = await work();
  child.stdin.end();
  const code = await closed;
  if (code !== 0) throw new Failure(`the readers exited with code ${code}`);
  return { ...(JSON.parse(output) as ReaderResult), result };
}

function printReport({ quiet, attacked, memory, attacks }: Report): void {
  const ms = (value: number) => value.toFixed(0);
  const rows = Object.entries(attacks).flatMap(([name, outcomes]) =>
    [...new Set(outcomes.map(({ outcome }) => outcome))].map((outcome, index) => {
      const took = outcomes.filter((one) => one.outcome === outcome).map((one) => one.ms);
      return [
        index === 0 ? name : "",
        String(took.length),
        outcome,
        ms(Math.min(...took)),
        ms(median(took)),
        ms(Math.max(...took)),
      ];
    }),
  );
  say(`\n${table(["attack", "requests", "response", "min ms", "median ms", "max ms"], rows)}`);
  const reads = (title: string, { requests, p50, p99, max, failures }: ReaderResult) => [
    title,
    String(requests),
    p50.toFixed(1),
    p99.toFixed(1),
    max.toFixed(1),
    Object.entries(failures)
      .map(([status, count]) => `${count} × ${status}`)
      .join(", ") || "none",
  ];
  const head = [`${CLIENTS} readers, ${READS_PER_SECOND}/s each`, "reads", "p50 ms", "p99 ms", "max ms", "failures"];
  say(`\n${table(head, [reads("without an attack", quiet), reads("attacked", attacked)])}`);
  const { before, peak, peakWithChildren, after } = memory;
  say(
    `\nRSS of the server: ${ms(before)} MiB before, ${ms(peak)} MiB at peak, ${ms(after)} MiB after; ` +
      `${ms(peakWithChildren)} MiB at peak with its child processes`,
  );
  const misses = findMisses({ quiet, attacked, memory, attacks });
  say(misses.length === 0 ? "All goals were met." : `MISSED: ${misses.join("; ")}`);
}

function findMisses({ attacked, memory }: Report): string[] {
  const failed = Object.entries(attacked.failures).map(([status, count]) => `${count} reads failed with ${status}`);
  const growth = memory.peak - memory.before;
  return [
    ...(attacked.p99 >= GOALS.p99Ms
      ? [`the p99 of the reads is ${attacked.p99.toFixed(0)} ms, goal ${GOALS.p99Ms}`]
      : []),
    ...failed,
    ...(growth >= GOALS.growthMiB ? [`memory grew by ${growth.toFixed(0)} MiB, goal ${GOALS.growthMiB}`] : []),
  ];
}
