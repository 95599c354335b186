// node scripts/run.mjs bench/behind-haproxy.ts [--rounds 5] [--seconds 5] [--json]
// Compares one server with two behind HAProxy, on the same database. README.md explains the results.
import os from "node:os";
import { parseArgs } from "node:util";
import { build } from "@/scripts/lib/build-steps.mjs";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { prepareHaproxy, startHaproxy } from "@/tests/support/haproxy.mjs";
import { bundleBench } from "./bundle";
import { readUsage } from "./cpu";
import { createDatabase } from "./database";
import { findPostmaster, readDatabaseCpu } from "./database-cpu";
import { JOB_TITLES, type Job } from "./jobs";
import type { LoadFiles, LoadResult, LoadSpec } from "./load";
import { describeTrouble, median, table } from "./report";
import { seedBench } from "./seed-bench";
import { type BenchServer, runLoad, startServer, writeLoadData } from "./servers";

const DATABASE = "crosswalk_bench_haproxy";
const MEASURED: readonly Job[] = ["get", "list", "put"];
const CONNECTIONS = 32;
const POOL_SIZE = "10";
const WARM_UP_REQUESTS = 8_000;

/** Servers behind one HAProxy. */
interface Setup {
  servers: 1 | 2;
  /** HAProxy, as a target of the load. */
  target: BenchServer;
  serverPids: number[];
  haproxyPid: number;
}

interface Round extends LoadResult {
  job: Job;
  servers: 1 | 2;
  /** CPU time by kind of process, in cores. */
  cores: { servers: number; database: number; haproxy: number; machine: number };
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "5" },
      json: { type: "boolean", default: false },
    },
  });
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  if (!(rounds >= 1 && seconds >= 1)) throw new Failure("--rounds and --seconds must be at least 1");
  const missing = await prepareHaproxy();
  if (missing) throw new Failure(missing);
  await build();
  await bundleBench(["bench/load.ts"]);
  const { url, ownerUrl } = await createDatabase(DATABASE);
  const files = writeLoadData(await step("Creating a database with 10,000 patients", () => seedBench(ownerUrl)));
  const postmaster = await findPostmaster(ownerUrl);
  if (postmaster === null) throw new Failure("the CPU time of PostgreSQL can't be read");
  const setups = await startSetups(url);
  const measured: Round[] = [];
  for (const job of MEASURED) {
    await step(`Measuring ${JOB_TITLES[job]}`, async () => {
      for (const { target } of setups) await runLoad(target, files, load(job, { requests: 2 * WARM_UP_REQUESTS }));
      for (let round = 0; round < rounds; round++) {
        const turns = round % 2 === 0 ? setups : setups.toReversed();
        for (const setup of turns) measured.push(await measure(setup, files, { job, seconds, postmaster }));
      }
    });
  }
  say(values.json ? JSON.stringify(measured, null, 2) : `\n${format(measured)}`);
  return 0;
});

/** Starts one server behind one HAProxy, and two others behind another one. */
async function startSetups(url: string): Promise<Setup[]> {
  const settings = {
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: POOL_SIZE,
    RATE_LIMIT_PER_SECOND: "1000000",
    ADDRESS_RATE_LIMIT_PER_SECOND: "1000000",
    STREAM_CONSUMER: "inline",
    TRUST_PROXY: "true",
  };
  const setups: Setup[] = [];
  for (const count of [1, 2] as const) {
    const port = await freePort();
    const own = { ...settings, PUBLIC_URL: `http://localhost:${port}` };
    const servers: BenchServer[] = [];
    while (servers.length < count) servers.push(await startServer("crosswalk", own));
    // The configuration names two servers.
    const [first, second = first] = servers.map((server) => new URL(server.url).host);
    const proxy = await startHaproxy({ port, servers: [first ?? "", second ?? ""] });
    onEnd(proxy.stop);
    setups.push({
      servers: count,
      target: { name: "crosswalk", pid: proxy.pid, url: proxy.url, stop: proxy.stop },
      serverPids: servers.map(({ pid }) => pid),
      haproxyPid: proxy.pid,
    });
  }
  return setups;
}

function load(job: Job, until: LoadSpec["until"]) {
  return { job, connections: CONNECTIONS, until };
}

async function measure(
  { servers, target, serverPids, haproxyPid }: Setup,
  files: LoadFiles,
  { job, seconds, postmaster }: { job: Job; seconds: number; postmaster: number },
): Promise<Round> {
  const read = () => ({
    servers: serverPids.reduce((sum, pid) => sum + readUsage(pid).cpuMs, 0),
    database: readDatabaseCpu(postmaster),
    haproxy: readUsage(haproxyPid).cpuMs,
    machine: machineCpuMs(),
  });
  const [before, start] = [read(), performance.now()];
  const result = await runLoad(target, files, load(job, { seconds }));
  const [after, elapsed] = [read(), performance.now() - start];
  const trouble = describeTrouble(result);
  if (trouble) throw new Failure(`${JOB_TITLES[job]} on ${servers} servers: ${trouble}`);
  const cores = (name: keyof typeof before) => (after[name] - before[name]) / elapsed;
  return {
    ...result,
    job,
    servers,
    cores: {
      servers: cores("servers"),
      database: cores("database"),
      haproxy: cores("haproxy"),
      machine: cores("machine"),
    },
  };
}

/** Returns the time that all cores together have not been idle. */
function machineCpuMs(): number {
  return os.cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

function format(measured: readonly Round[]): string {
  const rows = MEASURED.flatMap((job) => {
    const of = (servers: 1 | 2, figure: (round: Round) => number) =>
      median(measured.filter((round) => round.job === job && round.servers === servers).map(figure));
    const figures = (servers: 1 | 2) => [
      ...[of(servers, ({ perSecond }) => perSecond).toFixed(0)],
      ...[of(servers, ({ p50 }) => p50).toFixed(1), of(servers, ({ p99 }) => p99).toFixed(1)],
      ...(["servers", "database", "haproxy", "machine"] as const).map((name) =>
        of(servers, ({ cores }) => cores[name]).toFixed(2),
      ),
    ];
    return [
      [JOB_TITLES[job], "1", ...figures(1)],
      ["", "2", ...figures(2)],
    ];
  });
  const title = `${CONNECTIONS} connections, pools of ${POOL_SIZE} each, ${os.availableParallelism()} cores. CPU time in cores:`;
  const head = ["job", "servers", "req/s", "p50 ms", "p99 ms", "servers", "PostgreSQL", "HAProxy", "all processes"];
  return `${title}\n\n${table(head, rows)}`;
}
