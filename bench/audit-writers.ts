// node scripts/run.mjs bench/audit-writers.ts [--writers 1,4,16,50] [--rounds 3] [--seconds 5] [--pool 10] [--json]
// Measures how writes of one practice scale with the number of writers, and how long audit entries wait for their seal.
import { parseArgs } from "node:util";
import pg from "pg";
import { build } from "@/scripts/lib/build-steps.mjs";
import { main } from "@/scripts/lib/lifetime.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { bundleBench } from "./bundle";
import { readUsage } from "./cpu";
import { createDatabase } from "./database";
import type { LoadFiles, LoadResult } from "./load";
import { describeTrouble, median, table } from "./report";
import { seedBench } from "./seed-bench";
import { type BenchServer, runLoad, startServer, writeLoadData } from "./servers";

const DATABASE = "crosswalk_bench_audit";
const WARM_UP_SECONDS = 5;
const SAMPLE_MS = 100;

interface Round extends LoadResult {
  writers: number;
  cpuMs: number;
  /** The longest that the oldest unsealed entry had waited. */
  unsealedMs: number;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      writers: { type: "string", default: "1,4,16,50" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "5" },
      pool: { type: "string", default: "10" },
      json: { type: "boolean", default: false },
    },
  });
  const writers = values.writers.split(",").map(Number);
  const [rounds, seconds, pool] = [Number(values.rounds), Number(values.seconds), Number(values.pool)];
  const isValid = [...writers, rounds, seconds, pool].every((value) => Number.isInteger(value) && value >= 1);
  if (!isValid) throw new Failure("--writers, --rounds, --seconds and --pool must be whole numbers, at least 1");
  return { writers, rounds, seconds, pool, json: values.json };
}

await main(async () => {
  const { writers, rounds, seconds, pool, json } = readOptions();
  await build();
  await bundleBench(["bench/load.ts"]);
  const { url, data } = await step("Creating a database with 10,000 patients", async () => {
    const created = await createDatabase(DATABASE);
    return { ...created, data: await seedBench(created.ownerUrl) };
  });
  const files = writeLoadData(data);
  const server = await startServer("crosswalk", {
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: String(pool),
    RATE_LIMIT_PER_SECOND: "1000000",
    ADDRESS_RATE_LIMIT_PER_SECOND: "1000000",
    LOG_LEVEL: "info",
    STREAM_CONSUMER: "inline",
    PUBLIC_URL: "",
  });
  const measured: Round[] = [];
  await step("Warming up", () => measure(server, { url, files, writers: 16, seconds: WARM_UP_SECONDS }));
  for (let round = 0; round < rounds; round++) {
    for (const count of writers) {
      const title = `Round ${round + 1} with ${count} writers`;
      measured.push(await step(title, () => measure(server, { url, files, writers: count, seconds })));
    }
  }
  if (json) say(JSON.stringify(measured, null, 2));
  else
    say(
      `\nPUT policy on one practice, pool of ${pool}, medians of ${rounds} rounds of ${seconds} s\n\n${format(measured)}`,
    );
  return 0;
});

async function measure(
  server: BenchServer,
  { url, files, writers, seconds }: { url: string; files: LoadFiles; writers: number; seconds: number },
): Promise<Round> {
  const watch = await watchUnsealed(url);
  const before = readUsage(server.pid);
  const result = await runLoad(server, files, { job: "put", connections: writers, until: { seconds } });
  const cpuMs = readUsage(server.pid).cpuMs - before.cpuMs;
  const unsealedMs = await watch.stop();
  const trouble = describeTrouble(result);
  if (trouble) throw new Failure(`${writers} writers: ${trouble}`);
  return { ...result, writers, cpuMs, unsealedMs };
}

/** Samples the age of the oldest committed entry without a seal. */
async function watchUnsealed(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let longest = 0;
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      const { rows } = await client.query(
        "SELECT extract(epoch FROM clock_timestamp() - min(occurred_date)) * 1000 AS ms FROM audit_pending",
      );
      longest = Math.max(longest, Number(rows[0].ms ?? 0));
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await watching;
      await client.end();
      return longest;
    },
  };
}

function format(measured: readonly Round[]): string {
  const rows = [...new Set(measured.map(({ writers }) => writers))].map((writers) => {
    const own = measured.filter((round) => round.writers === writers);
    const medianOf = (figure: (round: Round) => number) => median(own.map(figure));
    return [
      String(writers),
      medianOf(({ perSecond }) => perSecond).toFixed(0),
      medianOf(({ p50 }) => p50).toFixed(1),
      medianOf(({ p99 }) => p99).toFixed(1),
      medianOf(({ cpuMs, requests }) => cpuMs / requests).toFixed(3),
      medianOf(({ unsealedMs }) => unsealedMs).toFixed(0),
    ];
  });
  return table(["writers", "writes/s", "p50 ms", "p99 ms", "CPU ms/req", "unsealed ms"], rows);
}
