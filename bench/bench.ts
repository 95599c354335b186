// npm run bench -- [--rounds 3] [--seconds 5] [--jobs get,list,put,token,upload] [--no-crowd] [--json]
// Compares the production server with a hand-written one that does the same work. README.md explains the results.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { build } from "@/scripts/lib/build-steps.mjs";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { readUsage } from "./cpu";
import { formatCrowd, runCrowd } from "./crowd";
import { createDatabase } from "./database";
import { JOB_TITLES, JOBS, type Job } from "./jobs";
import type { LoadFiles } from "./load";
import { type Comparison, compare, describeTrouble, formatComparisons, type Round } from "./report";
import { checkSameWork } from "./same-work";
import { type BenchData, seedBench } from "./seed-bench";
import { type BenchServer, bundleBench, runLoad, startServer } from "./servers";

const DATABASE = "crosswalk_bench";
const CONNECTIONS = 16;
const POOL_SIZE = 10;
const WARM_UP_SECONDS = 3;

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "5" },
      jobs: { type: "string", default: JOBS.join(",") },
      "no-crowd": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const jobs = values.jobs.split(",") as Job[];
  const unknown = jobs.find((job) => !JOBS.some((known) => known === job));
  if (unknown) throw new Failure(`unknown job ${unknown}. Jobs: ${JOBS.join(", ")}`);
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  if (!(rounds >= 1 && seconds >= 1)) throw new Failure("--rounds and --seconds must be at least 1");
  return { jobs, rounds, seconds, crowd: !values["no-crowd"], json: values.json };
}

await main(async () => {
  const options = readOptions();
  await build();
  await bundleBench();
  const { url, data } = await step("Creating a database with 10,000 patients", async () => {
    const created = await createDatabase(DATABASE);
    return { ...created, data: await seedBench(created.ownerUrl) };
  });
  const files = await writeLoadFiles(data);
  const folder = path.dirname(files.dataFile);
  const settings = {
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    IMAGE_STORE_DIR: path.join(folder, "images"),
    RATE_LIMIT_PER_SECOND: "1000000",
    ADDRESS_RATE_LIMIT_PER_SECOND: "1000000",
    LOG_LEVEL: "info",
    STREAM_CONSUMER: "inline",
    PUBLIC_URL: "",
  };
  const servers = [await startServer("hand-written", settings), await startServer("crosswalk", settings)];
  await step("Checking that both servers do the same work", () => checkSameWork(url, servers, data, files));

  const rounds: Round[] = [];
  for (const job of options.jobs) {
    rounds.push(...(await step(`Measuring ${JOB_TITLES[job]}`, () => measureJob(job, servers, files, options))));
  }
  const comparisons = compare(rounds);
  const crowd = options.crowd ? await runCrowd(servers, files, options.seconds) : [];
  if (options.json) say(JSON.stringify({ comparisons, crowd, rounds }, null, 2));
  else {
    say(
      `\n${CONNECTIONS} connections, pool of ${POOL_SIZE}, medians of ${options.rounds} rounds of ${options.seconds} s\n`,
    );
    say(formatComparisons(comparisons));
    if (options.crowd) say(`\n${formatCrowd(crowd, POOL_SIZE)}`);
  }
  return countMissedGoals(comparisons) > 0 ? 1 : 0;
});

/** Writes the data of the load and an image to upload to a temporary folder. */
async function writeLoadFiles(data: BenchData): Promise<LoadFiles> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-bench-"));
  onEnd(() => fs.rmSync(folder, { recursive: true, force: true }));
  const files = { dataFile: path.join(folder, "data.json"), imageFile: path.join(folder, "card.jpg") };
  fs.writeFileSync(files.dataFile, JSON.stringify(data));
  const noise = { type: "gaussian" as const, mean: 128, sigma: 20 };
  const card = sharp({ create: { width: 640, height: 400, channels: 3, background: "white", noise } });
  await card.jpeg({ quality: 80 }).toFile(files.imageFile);
  return files;
}

/** Measures both servers in turn. Each goes first in every other round. */
async function measureJob(
  job: Job,
  servers: readonly BenchServer[],
  files: LoadFiles,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Round[]> {
  const measured: Round[] = [];
  for (const server of servers) await measure(job, server, files, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      measured.push(await measure(job, server, files, seconds));
    }
  }
  return measured;
}

async function measure(job: Job, server: BenchServer, files: LoadFiles, seconds: number): Promise<Round> {
  const before = readUsage(server.pid);
  const result = await runLoad({ ...files, url: server.url, job, connections: CONNECTIONS, seconds });
  const after = readUsage(server.pid);
  const trouble = describeTrouble(result);
  if (trouble) throw new Failure(`${JOB_TITLES[job]} on the ${server.name} server: ${trouble}`);
  return { ...result, job, server: server.name, cpuMs: after.cpuMs - before.cpuMs, rssMiB: after.rssMiB };
}

function countMissedGoals(comparisons: readonly Comparison[]): number {
  return comparisons.filter(({ ratio, goal }) => goal !== null && ratio < goal).length;
}
