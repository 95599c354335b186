// npm run bench -- [--rounds 5] [--seconds 5] [--jobs get,list,put,token,upload] [--no-crowd] [--json FILE] [--publish]
// Compares the production server with the bound, and with a hand-written server that does the same work. README.md explains the results.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { build } from "@/scripts/lib/build-steps.mjs";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { bundleBench } from "./bundle";
import { writeCardImage } from "./card-image";
import { countWork, type JobCounts } from "./counts";
import { readUsage } from "./cpu";
import { formatCrowd, runCrowd } from "./crowd";
import { createDatabase, createEmptyDatabase } from "./database";
import { findPostmaster, readDatabaseCpu } from "./database-cpu";
import { checkGoals, formatGoals } from "./goals";
import { BOUND_JOBS, JOB_TITLES, JOBS, type Job } from "./jobs";
import type { LoadFiles, LoadResult } from "./load";
import { describeTrouble, divide, formatFigures, type Round, summarize } from "./report";
import { checkSameWork } from "./same-work";
import { type BenchData, seedBench } from "./seed-bench";
import { seedBound } from "./seed-bound";
import { type BenchServer, runLoad, type ServerName, startServer } from "./servers";

const DATABASE = "crosswalk_bench";
const BOUND_DATABASE = "crosswalk_bench_bound";
const SERVERS = ["bound", "hand-written", "crosswalk"] as const;
const CONNECTIONS = 16;
const POOL_SIZE = 10;
/**
 * Until V8 has compiled the hot functions, a PUT costs two to three times as much. Its cost settles after 5,000 requests, however
 * long a slow machine takes for them.
 */
const WARM_UP_REQUESTS = 8_000;
/** Mostly work of libvips, which V8 does not compile. */
const WARM_UP_UPLOADS = 500;
const RESULTS = "bench/results.md";

type FilesByServer = Record<ServerName, LoadFiles>;

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "5" },
      jobs: { type: "string", default: JOBS.join(",") },
      "no-crowd": { type: "boolean", default: false },
      json: { type: "string" },
      publish: { type: "boolean", default: false },
    },
  });
  const jobs = values.jobs.split(",") as Job[];
  const unknown = jobs.find((job) => !JOBS.some((known) => known === job));
  if (unknown) throw new Failure(`unknown job ${unknown}. Jobs: ${JOBS.join(", ")}`);
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  if (!(rounds >= 1 && seconds >= 1)) throw new Failure("--rounds and --seconds must be at least 1");
  const crowd = !values["no-crowd"];
  if (values.publish && !(crowd && JOBS.every((job) => jobs.includes(job)))) {
    throw new Failure("--publish needs all jobs and the crowd");
  }
  return { jobs, rounds, seconds, crowd, json: values.json, publish: values.publish };
}

await main(async () => {
  const options = readOptions();
  const { jobs, rounds, seconds } = options;
  await build();
  const [loadAverage = 0] = os.loadavg();
  await bundleBench(["bound", "hand-written", "load", "round-trips"].map((name) => `bench/${name}.ts`));
  const databases = await step("Creating two databases with 10,000 patients", createDatabases);
  const { settings, files } = await prepareServers(databases);
  const start = (name: ServerName) => startServer(name, settings[name]);
  const servers = [await start("bound"), await start("hand-written"), await start("crosswalk")] as const;
  const [, handWritten, crosswalk] = servers;
  await step("Checking that the hand-written server does the same work", () =>
    checkSameWork(databases.product.url, [handWritten, crosswalk], databases.product.data, files.crosswalk),
  );
  const counts = await countJobs(settings, files, jobs);
  const postmaster = await findPostmaster(databases.bound.url);
  const measured: Round[] = [];
  for (const job of jobs) {
    const able = servers.filter(({ name }) => canDo(name, job));
    measured.push(
      ...(await step(`Measuring ${JOB_TITLES[job]}`, () => measureJob(job, able, files, { ...options, postmaster }))),
    );
  }
  const crowd = options.crowd ? await runCrowd(crosswalk, files.crosswalk, seconds) : [];
  const { rssMiB } = readUsage(crosswalk.pid);

  const summaries = summarize(measured, SERVERS, counts);
  const ratios = divide(measured);
  const goals = checkGoals({ summaries, ratios, crowd, rssMiB });
  const environment = await describeEnvironment(databases.bound.url);
  const load = `${CONNECTIONS} connections, pools of ${POOL_SIZE}, medians of ${rounds} rounds of ${seconds} s`;
  const tables = [
    formatFigures(summaries, ratios),
    ...(crowd.length > 0 ? [formatCrowd(crowd, POOL_SIZE)] : []),
    formatGoals(goals),
  ];
  const report = [load, ...tables].join("\n\n");
  say(`\n${report}`);
  if (options.publish) publish(report, { ...environment, loadAverage });
  if (options.json) {
    const figures = { ...environment, loadAverage, load, goals, summaries, ratios, crowd, rssMiB, rounds: measured };
    fs.writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`);
  }
  return goals.every(({ isMet }) => isMet) ? 0 : 1;
});

type Databases = Record<"product" | "bound", { url: string; data: BenchData }>;

async function createDatabases(): Promise<Databases> {
  const { url, ownerUrl } = await createDatabase(DATABASE);
  const { ownerUrl: boundUrl } = await createEmptyDatabase(BOUND_DATABASE);
  return {
    product: { url, data: await seedBench(ownerUrl) },
    bound: { url: boundUrl, data: await seedBound(boundUrl) },
  };
}

/** Prepares the settings of each server and the files of its load. */
async function prepareServers({ product, bound }: Databases) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-bench-"));
  onEnd(() => fs.rmSync(folder, { recursive: true, force: true }));
  const productFiles = await writeLoadFiles(folder, "product", product.data);
  const productSettings = {
    DATABASE_URL: product.url,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    IMAGE_STORE_DIR: path.join(folder, "images"),
    RATE_LIMIT_PER_SECOND: "1000000",
    ADDRESS_RATE_LIMIT_PER_SECOND: "1000000",
    LOG_LEVEL: "info",
    STREAM_CONSUMER: "inline",
    PUBLIC_URL: "",
  };
  const settings: Record<ServerName, Record<string, string>> = {
    bound: { DATABASE_URL: bound.url, POOL: String(POOL_SIZE) },
    "hand-written": productSettings,
    crosswalk: productSettings,
  };
  const files: FilesByServer = {
    bound: await writeLoadFiles(folder, "bound", bound.data),
    "hand-written": productFiles,
    crosswalk: productFiles,
  };
  return { settings, files };
}

/** Counts what each server does, one after the other. */
async function countJobs(
  settings: Record<ServerName, Record<string, string>>,
  files: FilesByServer,
  jobs: readonly Job[],
): Promise<JobCounts[]> {
  const counts: JobCounts[] = [];
  for (const name of SERVERS) {
    const work = { jobs: jobs.filter((job) => canDo(name, job)), connections: CONNECTIONS };
    const title = `Counting round trips of ${name}`;
    counts.push(...(await step(title, () => countWork(name, settings[name], files[name], work))));
  }
  return counts;
}

function canDo(server: ServerName, job: Job): boolean {
  return server !== "bound" || BOUND_JOBS.includes(job);
}

async function describeEnvironment(url: string) {
  const { rows } = await asAdmin(url, (client) => client.query<{ server_version: string }>("SHOW server_version"));
  return {
    date: new Date().toISOString().slice(0, 10),
    cores: os.availableParallelism(),
    node: process.versions.node,
    postgres: rows[0]?.server_version ?? "",
  };
}

/** Writes the report to the file from which the documents quote figures. */
function publish(
  report: string,
  {
    date,
    cores,
    node,
    postgres,
    loadAverage,
  }: Awaited<ReturnType<typeof describeEnvironment>> & { loadAverage: number },
): void {
  const day = new Date(date).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });
  const text = `# Results of the last run

\`npm run bench -- --publish\` measured these figures on ${day}, on ${cores} cores with Node.js ${node} and PostgreSQL ${postgres}.
The load average was ${loadAverage.toFixed(1)} before the run: above ${cores}, other programs took part of the time.
[README.md](README.md#the-server) explains the figures.

\`\`\`text
${report}
\`\`\`
`;
  fs.writeFileSync(inRoot(RESULTS), text);
}

/** Writes the data of the load and an image to upload. */
async function writeLoadFiles(folder: string, name: string, data: BenchData): Promise<LoadFiles> {
  const files = { dataFile: path.join(folder, `${name}.json`), imageFile: path.join(folder, "card.jpg") };
  fs.writeFileSync(files.dataFile, JSON.stringify(data));
  await writeCardImage(files.imageFile);
  return files;
}

interface MeasureOptions {
  rounds: number;
  seconds: number;
  /** The main process of PostgreSQL, or null if its CPU time can't be read. */
  postmaster: number | null;
}

/** Measures the servers in turn. Each round starts with the next one. */
async function measureJob(
  job: Job,
  servers: readonly BenchServer[],
  files: FilesByServer,
  { rounds, seconds, postmaster }: MeasureOptions,
): Promise<Round[]> {
  const measured: Round[] = [];
  const requests = job === "upload" ? WARM_UP_UPLOADS : WARM_UP_REQUESTS;
  for (const server of servers) {
    requireSuccess(
      server,
      job,
      await runLoad(server, files[server.name], { job, connections: CONNECTIONS, until: { requests } }),
    );
  }
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < servers.length; turn++) {
      const server = servers[(round + turn) % servers.length] as BenchServer;
      measured.push(await measure(job, server, files, { seconds, postmaster }));
    }
  }
  return measured;
}

async function measure(
  job: Job,
  server: BenchServer,
  files: FilesByServer,
  { seconds, postmaster }: Pick<MeasureOptions, "seconds" | "postmaster">,
): Promise<Round> {
  const databaseCpu = () => (postmaster === null ? 0 : readDatabaseCpu(postmaster));
  const [before, databaseBefore] = [readUsage(server.pid), databaseCpu()];
  const result = await runLoad(server, files[server.name], { job, connections: CONNECTIONS, until: { seconds } });
  const [after, databaseAfter] = [readUsage(server.pid), databaseCpu()];
  requireSuccess(server, job, result);
  return {
    ...result,
    job,
    server: server.name,
    cpuMs: after.cpuMs - before.cpuMs,
    databaseCpuMs: postmaster === null ? null : databaseAfter - databaseBefore,
    rssMiB: after.rssMiB,
  };
}

/** Throws a Failure if a load got an error or a response other than 2xx. */
function requireSuccess({ name }: BenchServer, job: Job, result: LoadResult): void {
  const trouble = describeTrouble(result);
  if (trouble) throw new Failure(`${JOB_TITLES[job]} on the ${name} server: ${trouble}`);
}
