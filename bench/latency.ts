// node scripts/run.mjs bench/latency.ts [--scale 1] [--json]
// Measures how long webhooks take to arrive and how long replication takes, at fixed rates. README.md explains the results.
import { parseArgs } from "node:util";
import { Agent, request } from "undici";
import { db, sql } from "@/lib/platform/db/sql";
import { main } from "@/scripts/lib/lifetime.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { MARIA } from "@/tests/support/api";
import type { ReceiverProcess } from "@/tests/support/receiver-process";
import { type LatencyWorld, prepareLatency, startProcesses } from "./latency-world";
import { table } from "./report";

interface Load {
  /** Writes per second within a burst. */
  rate: number;
  burst: number;
  bursts: number;
  pauseMs: number;
}

/** One write a second is a pause before each. The others are bursts with pauses that close idle connections. */
const SLOW: Load = { rate: 1, burst: 1, bursts: 30, pauseMs: 1_000 };
const BURSTS: Load = { rate: 50, burst: 100, bursts: 8, pauseMs: 5_000 };
/** Compiles the code and prepares the statements of new processes. */
const WARM_UP: Load = { rate: 40, burst: 200, bursts: 1, pauseMs: 0 };
const STEADY: Load = { rate: 100, burst: 2_000, bursts: 1, pauseMs: 0 };
const SETTLE_MS = 3_000;

interface Goal {
  p50?: number;
  p99: number;
}
const WEBHOOK_GOAL: Goal = { p50: 30, p99: 150 };
const REPLICATION_GOAL: Goal = { p99: 50 };

interface Series {
  name: string;
  count: number;
  p50: number;
  p99: number;
  max: number;
  goal?: Goal;
}

const pause = (ms: number) => (ms > 0 ? new Promise<void>((resolve) => setTimeout(resolve, ms)) : Promise.resolve());
/** Closes idle connections sooner than the server. */
const connections = new Agent({ keepAliveTimeout: 1_000 });
/** The number of writes so far. Each changes another policy than those shortly before. */
let writes = 0;

await main(async () => {
  const { values } = parseArgs({
    options: { scale: { type: "string", default: "1" }, json: { type: "boolean", default: false } },
  });
  const scale = Number(values.scale);
  if (!(scale > 0)) throw new Failure("--scale must be greater than 0");
  const world = await step("Creating a database with 500 policies", prepareLatency);
  const measured: Series[] = [];
  for (const consumer of ["inline", "worker"] as const) {
    await world.setSubscribed(true);
    const processes = await startProcesses(consumer);
    await step(`Warming up, ${consumer}`, () => write({ world, processes, load: WARM_UP, scale: 1 }));
    for (const load of [SLOW, BURSTS]) {
      const name = `webhooks at ${load.rate}/s, ${consumer}`;
      measured.push(
        ...(await step(`Measuring ${name}`, () => measureWebhooks(name, { world, processes, load, scale }))),
      );
    }
    if (consumer === "worker") {
      await world.setSubscribed(false);
      const run = { world, processes, load: STEADY, scale };
      measured.push(...(await step("Measuring replication at 100/s", () => measureReplication(run))));
    }
    await processes.stop();
  }
  say(values.json ? JSON.stringify(measured, null, 2) : `\n${format(measured)}`);
  return measured.every(isMet) ? 0 : 1;
});

interface Run {
  world: LatencyWorld;
  processes: { url: string };
  load: Load;
  scale: number;
}

/** Measures from the time of a change, which is before its commit, to the arrival of its webhook. */
async function measureWebhooks(name: string, run: Run): Promise<Series[]> {
  const { receiver } = run.world;
  await receiver.reset();
  const before = await lastId("published_event");
  const responses = await write(run);
  const events = await db.rows<{ event_uuid: string; created_date: string }>(sql`
    SELECT event_uuid, created_date FROM published_event WHERE id > ${before}`);
  const arrived = await firstArrivals(receiver);
  const latencies = events.map(({ event_uuid, created_date }) => {
    const arrival = arrived.get(event_uuid);
    if (arrival === undefined) throw new Failure(`an event did not arrive within ${SETTLE_MS} ms`);
    return arrival - Date.parse(created_date);
  });
  if (latencies.length !== responses.length) throw new Failure("not every write published one event");
  return [{ ...summarize(name, latencies), goal: WEBHOOK_GOAL }, summarize("  response to the write", responses)];
}

async function firstArrivals(receiver: ReceiverProcess): Promise<Map<string, number>> {
  const arrived = new Map<string, number>();
  for (const { id, started } of await receiver.requests()) if (!arrived.has(id)) arrived.set(id, started);
  return arrived;
}

/** Measures from the time of a change to the time at which the worker has applied it to the other store. */
async function measureReplication(run: Run): Promise<Series[]> {
  const before = await lastId("replication_event");
  const responses = await write(run);
  const events = await db.rows<{ created_date: string; acknowledged_date: string | null }>(sql`
    SELECT created_date, acknowledged_date FROM replication_event WHERE id > ${before}`);
  const lags = events.map(({ created_date, acknowledged_date }) => {
    if (acknowledged_date === null) throw new Failure(`an event was not applied within ${SETTLE_MS} ms`);
    return Date.parse(acknowledged_date) - Date.parse(created_date);
  });
  if (lags.length !== responses.length) throw new Failure("not every write was replicated");
  const lag = { ...summarize("replication at 100/s, worker", lags), goal: REPLICATION_GOAL };
  return [lag, summarize("  response to the write", responses)];
}

async function lastId(name: "published_event" | "replication_event"): Promise<number> {
  const statement =
    name === "published_event"
      ? sql`SELECT coalesce(max(id), 0) AS id FROM published_event`
      : sql`SELECT coalesce(max(id), 0) AS id FROM replication_event`;
  return (await db.one<{ id: number }>(statement)).id;
}

/** Writes policies at a fixed rate, whether or not earlier writes are answered. Returns the response times in milliseconds. */
async function write({ world, processes, load, scale }: Run): Promise<number[]> {
  const pending: Promise<number>[] = [];
  const bursts = Math.max(1, Math.round(load.bursts * (load.bursts > 1 ? scale : 1)));
  const size = load.bursts > 1 ? load.burst : Math.max(1, Math.round(load.burst * scale));
  for (let burst = 0; burst < bursts; burst++) {
    await pause(load.pauseMs);
    const begun = performance.now();
    for (let at = 0; at < size; at++) {
      await pause(begun + (at * 1000) / load.rate - performance.now());
      const response = writeOnce(world, processes.url);
      // Its failure is thrown once all writes are sent, so that the processes are stopped.
      response.catch(() => {});
      pending.push(response);
    }
  }
  const responses = await Promise.all(pending);
  await pause(SETTLE_MS);
  return responses;
}

async function writeOnce({ targets, token }: LatencyWorld, url: string): Promise<number> {
  const { patient, policy } = targets[writes++ % targets.length] as LatencyWorld["targets"][number];
  const begun = performance.now();
  const { statusCode, body } = await request(`${url}/api/2.0/patients/${patient}/policies/${policy}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ ...MARIA, rank: 1, member_id: `M${writes}` }),
    dispatcher: connections,
  });
  await body.dump();
  if (statusCode !== 200) throw new Failure(`a write got ${statusCode}`);
  return performance.now() - begun;
}

function summarize(name: string, values: readonly number[]): Series {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { name, count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

function isMet({ p50, p99, goal }: Series): boolean {
  return goal === undefined || (p99 < goal.p99 && (goal.p50 === undefined || p50 < goal.p50));
}

function format(measured: readonly Series[]): string {
  const rows = measured.map((series) => {
    const { name, count, p50, p99, max, goal } = series;
    const limits = goal ? [...(goal.p50 ? [`p50 < ${goal.p50}`] : []), `p99 < ${goal.p99}`].join(", ") : "";
    return [name, ...[count, p50, p99, max].map(String), goal ? `${limits}: ${isMet(series) ? "met" : "MISSED"}` : ""];
  });
  return table(["series", "count", "p50 ms", "p99 ms", "max ms", "goal"], rows);
}
