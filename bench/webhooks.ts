// node scripts/run.mjs bench/webhooks.ts [--events 4000] [--rounds 3] [--json]
// Measures webhooks per second to 20 targets with one worker, with two, and with the sender alone. README.md explains the results.
import { parseArgs } from "node:util";
import { systemOrigin } from "@/lib/access/identity/access";
import { publishEvents } from "@/lib/events/published/publish-events";
import { WebhookSender } from "@/lib/events/webhooks/send";
import { closePool } from "@/lib/platform/db/pool";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { log } from "@/lib/platform/log";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { type Basics, seedBasics } from "@/tests/support/api";
import { ReceiverProcess } from "@/tests/support/receiver-process";
import { newClient, seedPatients, subscribe } from "@/tests/support/webhook-clients";
import { WorkerProcess } from "@/tests/support/worker-process";
import { bundleBench, bundleOf } from "./bundle";
import { readUsage } from "./cpu";
import { createDatabase } from "./database";
import { median, table } from "./report";
import { readWal } from "./wal";

const DATABASE = "crosswalk_bench_webhooks";
const TARGETS = 20;
const CLIENTS = 4;
const EVENTS_PER_RECORD = 5;
const CONCURRENCY = 32;
const POLL_MS = 100;
const SENDER = "the sender alone";
const ONE_WORKER = "1 worker";
/** Webhooks per second of one worker. */
const GOAL = 1_500;
const ORIGIN = systemOrigin({ name: "Benchmark", source: "seed", operation: "bench.publish" });
const WORKER = bundleOf("worker.ts");

interface Round {
  name: string;
  perSecond: number;
  /** User and system time per webhook, of the senders and of their database processes. */
  cpuMs: number;
  databaseCpuMs: number;
  /** Bytes of the write-ahead log per webhook, including its publication. */
  walBytes: number;
  /** The peak memory of each worker. */
  peakRssMiB: number[];
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      events: { type: "string", default: "4000" },
      rounds: { type: "string", default: "3" },
      json: { type: "boolean", default: false },
    },
  });
  const [events, rounds] = [Number(values.events), Number(values.rounds)];
  if (!(events >= 100 && rounds >= 1)) throw new Failure("--events must be at least 100, and --rounds at least 1");
  const receiver = await ReceiverProcess.start(TARGETS);
  onEnd(() => receiver.stop());
  const records = Math.ceil(events / TARGETS / EVENTS_PER_RECORD);
  const { basics, patients } = await step("Creating a database with subscriptions", () => prepare(receiver, records));
  await bundleBench(["scripts/worker.ts"]);

  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const workers of round % 2 === 0 ? [1, 2] : [2, 1]) {
      const name = workers === 1 ? ONE_WORKER : `${workers} workers`;
      measured.push(
        await step(`Measuring ${name}`, () => measureWorkers(name, workers, { receiver, basics, patients })),
      );
    }
    measured.push(await step(`Measuring ${SENDER}`, () => measureSender(receiver)));
  }
  say(values.json ? JSON.stringify(measured, null, 2) : `\n${formatRounds(measured)}`);
  const perSecond = medianRate(measured, ONE_WORKER);
  if (perSecond >= GOAL) return 0;
  say(`\nOne worker sent ${perSecond.toFixed(0)} webhooks per second. The goal is ${GOAL}.`);
  return 1;
});

async function prepare(receiver: ReceiverProcess, records: number): Promise<{ basics: Basics; patients: number[] }> {
  const { url } = await createDatabase(DATABASE);
  onEnd(closePool);
  Object.assign(process.env, { DATABASE_URL: url, WEBHOOK_ALLOW_PRIVATE: "true" });
  log.level = "warn";
  const basics = await seedBasics();
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => newClient(basics)));
  for (const [at, origin] of receiver.origins.entries()) {
    await subscribe(clients[at % CLIENTS] as (typeof clients)[number], `${origin}/hook`);
  }
  return { basics, patients: await seedPatients(basics, records) };
}

async function measureWorkers(
  name: string,
  count: number,
  { receiver, basics, patients }: { receiver: ReceiverProcess; basics: Basics; patients: number[] },
): Promise<Round> {
  const options = (process.env.BENCH_NODE_OPTIONS ?? "").split(" ").filter(Boolean);
  const workers = await Promise.all(Array.from({ length: count }, () => WorkerProcess.start({}, [...options, WORKER])));
  // V8 still compiles a new worker's code, but workers run for weeks.
  await deliver(basics, patients);
  await receiver.reset();
  const [cpuBefore, walBefore] = [await readCpu(workers), await readWal()];
  await deliver(basics, patients);
  const walBytes = (await readWal()) - walBefore;
  const peakRssMiB = workers.map((worker) => worker.peakRssMiB() ?? 0);
  const cpu = await readCpu(workers);
  await Promise.all(workers.map((worker) => worker.stop()));
  const { requests, spanMs } = await receiver.stats();
  const [cpuMs, databaseCpuMs] = [cpu.senders - cpuBefore.senders, cpu.database - cpuBefore.database];
  return {
    name,
    perSecond: (requests * 1000) / spanMs,
    cpuMs: cpuMs / requests,
    databaseCpuMs: databaseCpuMs / requests,
    walBytes: walBytes / requests,
    peakRssMiB,
  };
}

/** Publishes the events of a round, and waits until the workers have delivered them. */
async function deliver({ enabled: practiceId }: Basics, patients: number[]): Promise<void> {
  await transaction(async (tx) => {
    for (let turn = 0; turn < EVENTS_PER_RECORD; turn++) {
      const change = { type: "saved" as const, resource: "patients" as const, ids: patients };
      await publishEvents(tx, { ...change, practiceId, origin: ORIGIN });
    }
  });
  while (await hasOpenEvents()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

/** Returns the CPU time used so far. The database's is 0 if it runs on another machine. */
async function readCpu(workers: readonly WorkerProcess[]): Promise<{ senders: number; database: number }> {
  const backends = await db.rows<{ pid: number }>(sql`
    SELECT pid FROM pg_stat_activity WHERE datname = ${DATABASE} AND pid <> pg_backend_pid()`);
  const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + readCpuMs(pid), 0);
  return { senders: sum(workers.map(({ pid }) => pid)), database: sum(backends.map(({ pid }) => pid)) };
}

function readCpuMs(pid: number): number {
  try {
    return readUsage(pid).cpuMs;
  } catch {
    return 0;
  }
}

async function hasOpenEvents(): Promise<boolean> {
  const row = await db.first<{ open: boolean }>(
    sql`SELECT EXISTS (SELECT FROM published_event WHERE delivery IN ('pending', 'sending')) AS open`,
  );
  return row?.open ?? false;
}

/** Sends the delivered webhooks again: the same bodies, headers and targets, without a database. */
async function measureSender(receiver: ReceiverProcess): Promise<Round> {
  const webhooks = (await receiver.requests()).map(({ port, path, headers, body }) => {
    const { host: _host, connection: _connection, ...kept } = headers;
    return { url: `http://127.0.0.1:${port}${path}`, headers: kept, body };
  });
  await receiver.reset();
  const before = process.cpuUsage();
  const sender = new WebhookSender({ timeoutMs: 10_000, connectionsPerOrigin: 16, policy: { allowPrivate: true } });
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let next = webhooks.pop(); next; next = webhooks.pop()) {
        const { error } = await sender.send(next);
        if (error) throw new Failure(`the receiver does not respond: ${error}`);
      }
    }),
  );
  await sender.close();
  const { user, system } = process.cpuUsage(before);
  const { requests, spanMs } = await receiver.stats();
  const cpuMs = (user + system) / 1000 / requests;
  return { name: SENDER, perSecond: (requests * 1000) / spanMs, cpuMs, databaseCpuMs: 0, walBytes: 0, peakRssMiB: [] };
}

function medianRate(measured: readonly Round[], sender: string): number {
  return median(measured.filter(({ name }) => name === sender).map(({ perSecond }) => perSecond));
}

function formatRounds(measured: readonly Round[]): string {
  const names = [...new Set(measured.map(({ name }) => name))];
  const rows = names.map((name) => {
    const own = measured.filter((round) => round.name === name);
    const medianOf = (figure: (round: Round) => number) => median(own.map(figure));
    const perSecond = medianRate(measured, name);
    const peaks = own.flatMap(({ peakRssMiB }) => peakRssMiB);
    return [
      name,
      perSecond.toFixed(0),
      (perSecond / medianRate(measured, SENDER)).toFixed(2),
      medianOf(({ cpuMs }) => cpuMs).toFixed(2),
      medianOf(({ databaseCpuMs }) => databaseCpuMs).toFixed(2),
      (medianOf(({ walBytes }) => walBytes) / 1000).toFixed(1),
      peaks.length > 0 ? Math.max(...peaks).toFixed(0) : "",
    ];
  });
  return table(["sender", "webhooks/s", "ratio", "CPU ms", "database CPU ms", "WAL kB", "peak RSS MiB"], rows);
}
