// node scripts/run.mjs bench/fuzz.ts [--examples 500] [--seed 14] [--only "POST patients"] [--example N] [--json]
// Sends hostile requests to every operation of a built server. Prints the requests that got a 5xx or no response, and how much the
// server's memory grew. --only and --example repeat one request. Exits with 1 if a request failed or memory grew too much.
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { closePool } from "@/lib/platform/db/pool";
import { log } from "@/lib/platform/log";
import { build } from "@/scripts/lib/build-steps.mjs";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { describeRequest, type FuzzedOperation, type FuzzedRequest, fuzzedRequest } from "@/tests/support/fuzz";
import { apiSide, type FuzzedSide, staffSide } from "@/tests/support/fuzz-operations";
import { seedWorld } from "@/tests/support/world";
import { readUsage } from "./cpu";
import { createDatabase } from "./database";
import { type BenchServer, startServer } from "./servers";

const DATABASE = "crosswalk_bench_fuzz";
const CONCURRENCY = 8;
const TIME_LIMIT_MS = 30_000;
/** Requests per operation before memory is measured, so that all code is loaded and compiled. */
const WARM_UP = 30;
const GROWTH_LIMIT_MIB = 50;
/** Makes the server collect garbage on SIGUSR2, because an idle server does not collect any for minutes. */
const COLLECT_ON_SIGNAL = [
  "--expose-gc",
  "--import",
  'data:text/javascript,process.on("SIGUSR2", () => globalThis.gc())',
];
const SETTLE_MS = 10_000;

interface FailedRequest {
  outcome: string;
  operation: string;
  seed: number;
  example: number;
  request: string;
}

interface Run {
  statuses: Record<string, number>;
  failed: FailedRequest[];
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      examples: { type: "string", default: "500" },
      seed: { type: "string", default: "14" },
      only: { type: "string", default: "" },
      example: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const [examples, seed] = [Number(values.examples), Number(values.seed)];
  if (!(examples >= 1 && seed >= 0)) throw new Failure("--examples must be at least 1, and --seed at least 0");
  const first = values.example === undefined ? 0 : Number(values.example);
  return {
    first,
    last: values.example === undefined ? examples : first + 1,
    seed,
    only: values.only,
    json: values.json,
  };
}

await main(async () => {
  const options = readOptions();
  await build();
  log.level = "silent";
  const { url } = await step("Creating a database", () => createDatabase(DATABASE));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-bench-"));
  onEnd(() => fs.rmSync(folder, { recursive: true, force: true }));
  const settings = {
    DATABASE_URL: url,
    CROSSWALK_DATA_DIR: folder,
    IMAGE_STORE_DIR: path.join(folder, "images"),
    RATE_LIMIT_PER_SECOND: "1000000",
    STAFF_RATE_LIMIT_PER_SECOND: "1000000",
    ADDRESS_RATE_LIMIT_PER_SECOND: "1000000",
    MIGRATION_OPEN_RUNS: "10000",
    PUBLIC_URL: "",
  };
  Object.assign(process.env, settings);
  onEnd(closePool);
  const started = await startServer("crosswalk", settings, COLLECT_ON_SIGNAL);
  const createRecords = () =>
    step("Creating records", async () =>
      [await apiSide(await seedWorld()), await staffSide(started.url)].map((side) => ({
        ...side,
        operations: side.operations.filter((one) => nameOf(one).includes(options.only)),
      })),
    );
  const isOne = options.last === options.first + 1;
  const warmUp = await createRecords();
  const warm = await step(`Warming up with ${WARM_UP} requests per operation`, () =>
    run(started, warmUp, { first: 0, last: isOne ? 0 : WARM_UP, seed: options.seed + 1 }),
  );
  // New records, because the warm-up deleted some.
  const sides = await createRecords();
  const before = await readSettledRss(started);
  const measured = await step(`Sending ${options.last - options.first} requests per operation`, () =>
    run(started, sides, options),
  );
  const after = await readSettledRss(started);
  const failed = [...warm.failed, ...measured.failed];
  const count = sides.reduce((sum, { operations }) => sum + operations.length, 0);
  const growth = after - before;
  if (options.json) say(JSON.stringify({ ...measured, failed, before, after }, null, 2));
  else {
    for (const { outcome, operation, seed, example, request } of failed.slice(0, 100))
      say(`✗ ${outcome}: --only "${operation}" --seed ${seed} --example ${example}\n    ${request}`);
    const counts = Object.entries(measured.statuses).map(([status, times]) => `${times} × ${status}`);
    say(`\n${count} operations, seed ${options.seed}: ${counts.join(", ")}; ${failed.length} failed`);
    say(
      `RSS of the server: ${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB after: ${growth.toFixed(0)} MiB more`,
    );
  }
  return failed.length > 0 || growth >= GROWTH_LIMIT_MIB ? 1 : 0;
});

function nameOf({ method, path: folder, root }: FuzzedOperation): string {
  return `${method} ${root.slice("/api/".length)}${folder}`;
}

/** Returns the memory after garbage collection. Collects repeatedly, because one collection can leave objects for the next. */
async function readSettledRss({ pid }: BenchServer): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let waited = 0; waited < SETTLE_MS; waited += 1_000) {
    process.kill(pid, "SIGUSR2");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    lowest = Math.min(lowest, readUsage(pid).rssMiB);
  }
  return lowest;
}

/** Sends the examples to each operation in turn, a few at once. */
async function run(
  { url }: BenchServer,
  sides: readonly FuzzedSide[],
  { first, last, seed }: { first: number; last: number; seed: number },
): Promise<Run> {
  const statuses: Record<string, number> = {};
  const failed: FailedRequest[] = [];
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  for (const side of sides) {
    for (const operation of side.operations) {
      let example = first;
      const work = async () => {
        while (example < last) {
          const number = example++;
          const request = fuzzedRequest(operation, seed * 100_000 + number);
          const outcome = await sendAs(side, { url, agent }, request);
          statuses[outcome] = (statuses[outcome] ?? 0) + 1;
          if (/^[1-4]\d\d$/.test(outcome)) continue;
          failed.push({
            outcome,
            operation: nameOf(operation),
            seed,
            example: number,
            request: describeRequest(request),
          });
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, work));
    }
  }
  agent.destroy();
  return { statuses, failed };
}

async function sendAs(
  side: FuzzedSide,
  to: { url: string; agent: http.Agent },
  request: FuzzedRequest,
): Promise<string> {
  const outcome = await send(to, request, await side.credentials());
  return outcome === "401" ? send(to, request, await side.credentials({ renewed: true })) : outcome;
}

/** Sends a request. Returns the status of the response, or why there was none. */
function send(
  { url, agent }: { url: string; agent: http.Agent },
  { method, target, headers, body }: FuzzedRequest,
  credentials: Record<string, string>,
): Promise<string> {
  const { hostname, port } = new URL(url);
  const sent = { ...credentials, ...Object.fromEntries(headers), "content-length": String(body?.length ?? 0) };
  return new Promise((resolve) => {
    const options = { agent, method, hostname, port, path: target, headers: sent, timeout: TIME_LIMIT_MS };
    const request = http.request(options, (response) => {
      response.resume().on("end", () => resolve(String(response.statusCode)));
      response.on("error", (error) => resolve(error.message));
    });
    request.on("timeout", () => request.destroy(new Error("no response in time")));
    request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.end(body ?? undefined);
  });
}
