// node scripts/run.mjs bench/growth.ts [--scale 1] [--rounds 7] [--requests 3000] [--jobs get,…] [--keep | --kept] [--json]
// Compares the CPU time of a request in a small and in a large database. README.md explains the results.
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { main } from "@/scripts/lib/lifetime.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { bundleBench } from "./bundle";
import { readUsage } from "./cpu";
import { createDatabase, type DatabaseUrls, describeSettings, urlsOf } from "./database";
import { findPostmaster, readDatabaseCpu } from "./database-cpu";
import { JOB_TITLES, type Job } from "./jobs";
import type { LoadFiles } from "./load";
import { describeTrouble, median, table } from "./report";
import { type Size, seedGrowth, signIn } from "./seed-growth";
import { API_SERVER, type BenchServer, runLoad, startServer, writeLoadData } from "./servers";

const SMALL: Size = { policies: 10_000, audit: 100_000, events: 100_000 };
const LARGE: Size = { policies: 1_000_000, audit: 10_000_000, events: 10_000_000 };
const ALL_JOBS = ["get", "list", "put", "create", "token", "events", "events-next", "audit", "staff-events"] as const;
/** Maximum CPU time per request in the large database, divided by that in the small one. */
const GOAL = 1.2;
const CONNECTIONS = 8;

const NAMES = ["small", "large"] as const;
type Name = (typeof NAMES)[number];

interface Running {
  server: BenchServer;
  files: LoadFiles;
}

/** CPU milliseconds per request. */
interface Cost {
  server: number;
  database: number;
}

type Costs = Record<Name, Cost>;

interface Result extends Costs {
  job: Job;
  ratio: number;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      scale: { type: "string", default: "1" },
      rounds: { type: "string", default: "7" },
      requests: { type: "string", default: "3000" },
      jobs: { type: "string", default: ALL_JOBS.join(",") },
      keep: { type: "boolean", default: false },
      kept: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const [scale, rounds, requests] = [Number(values.scale), Number(values.rounds), Number(values.requests)];
  if (!(scale > 0 && rounds >= 1 && requests >= 1))
    throw new Failure("--scale, --rounds and --requests must be positive");
  const jobs = ALL_JOBS.filter((job) => values.jobs.split(",").includes(job));
  return { ...values, scale, rounds, requests, jobs };
}

await main(async () => {
  const { scale, rounds, requests, jobs, keep, kept, json } = readOptions();
  await bundleBench(["bench/load.ts", "bench/api-server.ts"]);
  const sizes: Record<Name, Size> = { small: scaled(SMALL, scale), large: scaled(LARGE, scale) };
  const databases = { small: urlsOf("crosswalk_growth_small"), large: urlsOf("crosswalk_growth_large") };
  for (const name of NAMES) if (!kept) await prepare(name, sizes[name], keep);
  // The databases are measured later, on a quiet machine.
  if (keep) return 0;
  const postmaster = await findPostmaster(databases.small.ownerUrl);
  if (postmaster === null) throw new Failure("the CPU time of PostgreSQL can't be read, which this benchmark compares");
  for (const name of NAMES) await step(`Reading the ${name} database into memory`, () => warmUp(databases[name]));
  const settings = await describeSettings(databases.large.ownerUrl);
  const running = { small: await start(databases.small), large: await start(databases.large) };
  const rows: Result[] = [];
  for (const job of jobs) {
    const title = `Measuring ${JOB_TITLES[job]}`;
    const cost = await step(title, () => measureJob(job, running, { rounds, requests, postmaster }));
    const ratio = totalOf(cost.large) / totalOf(cost.small);
    if (!json) say(`  ratio ${ratio.toFixed(2)}`);
    rows.push({ job, ...cost, ratio });
  }
  if (json) say(JSON.stringify({ sizes, settings, rows }, null, 2));
  else {
    const lines = [...NAMES.map((name) => describeSize(name, sizes[name])), `PostgreSQL: ${settings}`];
    say(`\n${lines.join("\n")}\n\n${format(rows)}`);
  }
  return rows.every(({ ratio }) => ratio <= GOAL) ? 0 : 1;
});

function scaled(size: Size, scale: number): Size {
  const at = (count: number) => Math.max(100, Math.round(count * scale));
  return { policies: at(size.policies), audit: at(size.audit), events: at(size.events) };
}

async function prepare(name: Name, size: Size, isKept: boolean): Promise<void> {
  await step(`Seeding ${describeSize(name, size)}`, async () => {
    const { ownerUrl } = await createDatabase(`crosswalk_growth_${name}`, { isKept });
    await seedGrowth(ownerUrl, size);
  });
}

/**
 * Reads the tables and indexes that requests look up into PostgreSQL's cache, where a server that has run for a while has them: the rounds
 * read too few patients to do so. They take 1 GB of the large database.
 */
function warmUp({ ownerUrl }: DatabaseUrls): Promise<unknown> {
  return asAdmin(ownerUrl, async (client) => {
    await client.query("CREATE EXTENSION IF NOT EXISTS pg_prewarm");
    return client.query(
      `SELECT pg_prewarm(oid) FROM pg_class
       WHERE relkind IN ('r', 'i') AND relname ~ '^(policy|patient)' AND relname !~ '^(policy|patient)_version$'`,
    );
  });
}

async function start({ url, ownerUrl }: DatabaseUrls): Promise<Running> {
  const data = await signIn(ownerUrl);
  const files = writeLoadData(data);
  const settings = {
    DATABASE_URL: url,
    IMAGE_STORE_DIR: path.join(path.dirname(files.dataFile), "images"),
    RATE_LIMIT_PER_SECOND: "1000000",
    STAFF_RATE_LIMIT_PER_SECOND: "1000000",
    ADDRESS_RATE_LIMIT_PER_SECOND: "1000000",
    LOG_LEVEL: "warn",
    STREAM_CONSUMER: "inline",
    PUBLIC_URL: "",
  };
  const server = await startServer("crosswalk", settings, [], API_SERVER);
  await eventsCounted(ownerUrl);
  return { server, files: writeLoadData({ ...data, eventsPage: await findSecondPage(server.url, data.token) }) };
}

/** Waits until housekeeping has added up the seeded events, as on a server that has run for a while (ADR 0232). */
async function eventsCounted(ownerUrl: string): Promise<void> {
  const waiting = "SELECT FROM published_event WHERE id > (SELECT last_id FROM event_count_progress) LIMIT 1";
  await asAdmin(ownerUrl, async (client) => {
    while ((await client.query(waiting)).rowCount !== 0) await pause(200);
  });
}

/** The first page has the number of all events (ADR 0232). Pages by cursor do not have it. */
async function findSecondPage(url: string, token: string): Promise<string> {
  const response = await fetch(`${url}/api/2.0/published_events/?limit=50`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { next } = (await response.json()) as { next: string };
  const { pathname, search } = new URL(next);
  return pathname + search;
}

/** Sends requests to both servers in turns, after a warm-up round. Returns the medians. */
async function measureJob(
  job: Job,
  running: Record<Name, Running>,
  { rounds, requests, postmaster }: { rounds: number; requests: number; postmaster: number },
): Promise<Costs> {
  const measured: Record<Name, Cost[]> = { small: [], large: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const name of NAMES) {
      const { server, files } = running[name];
      const before = { server: readUsage(server.pid).cpuMs, database: readDatabaseCpu(postmaster) };
      const result = await runLoad(server, files, { job, connections: CONNECTIONS, until: { requests } });
      const trouble = describeTrouble(result);
      if (trouble) throw new Failure(`${JOB_TITLES[job]}, ${name}: ${trouble}`);
      if (round === 0) continue;
      measured[name].push({
        server: (readUsage(server.pid).cpuMs - before.server) / result.requests,
        database: (readDatabaseCpu(postmaster) - before.database) / result.requests,
      });
    }
  }
  const medianCost = (costs: readonly Cost[]): Cost => ({
    server: median(costs.map(({ server }) => server)),
    database: median(costs.map(({ database }) => database)),
  });
  return { small: medianCost(measured.small), large: medianCost(measured.large) };
}

function totalOf({ server, database }: Cost): number {
  return server + database;
}

function describeSize(name: Name, { policies, audit, events }: Size): string {
  const [a, b, c] = [policies, audit, events].map((count) => count.toLocaleString("en-US"));
  return `${name}: ${a} policies, ${b} audit entries, ${c} webhook events`;
}

function format(rows: readonly Result[]): string {
  const lines = rows.map(({ job, small, large, ratio }) => [
    JOB_TITLES[job],
    ...[small.server, small.database, large.server, large.database].map((ms) => ms.toFixed(3)),
    ratio.toFixed(2),
    ratio <= GOAL ? "met" : "MISSED",
  ]);
  const heads = [
    "CPU ms per request",
    "small: server",
    "database",
    "large: server",
    "database",
    "ratio",
    `goal ${GOAL}`,
  ];
  return table(heads, lines);
}
