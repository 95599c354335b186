import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { closePool } from "@/lib/platform/db/pool";
import { db, sql } from "@/lib/platform/db/sql";
import { log } from "@/lib/platform/log";
import { onEnd } from "@/scripts/lib/lifetime.mjs";
import { ROOT } from "@/scripts/lib/paths.mjs";
import { call, MARIA, seedBasics } from "@/tests/support/api";
import { ReceiverProcess } from "@/tests/support/receiver-process";
import { newClient, seedPatients, subscribe } from "@/tests/support/webhook-clients";
import { bundleBench, bundleOf } from "./bundle";
import { createDatabase } from "./database";

const DATABASE = "crosswalk_bench_latency";
const PATIENTS = 500;
const FILES = { server: bundleOf("api-server.ts"), worker: bundleOf("worker.ts") };

export interface LatencyWorld {
  receiver: ReceiverProcess;
  token: string;
  targets: { patient: number; policy: number }[];
  /** Turns the subscription to patients on or off. */
  setSubscribed(isOn: boolean): Promise<void>;
}

/** Creates patients with one policy each, a client that writes, and one that subscribes to patients. */
export async function prepareLatency(): Promise<LatencyWorld> {
  await bundleBench(["bench/api-server.ts", "scripts/worker.ts"]);
  const receiver = await ReceiverProcess.start();
  onEnd(() => receiver.stop());
  const { url } = await createDatabase(DATABASE);
  onEnd(closePool);
  const settings = { DATABASE_URL: url, WEBHOOK_ALLOW_PRIVATE: "true", LOG_LEVEL: "warn" };
  Object.assign(process.env, settings, { RATE_LIMIT_PER_SECOND: "1000000", PUBLIC_URL: "" });
  log.level = "warn";
  const basics = await seedBasics();
  const { token } = basics;
  const patients = await seedPatients(basics, PATIENTS);
  const targets = await Promise.all(
    patients.map(async (patient) => {
      const body = { ...MARIA, rank: 1, member_id: "M0" };
      const created = await call("POST", `patients/${patient}/policies`, { token, body });
      return { patient, policy: created.body.id };
    }),
  );
  const { id } = await subscribe(await newClient(basics), `${receiver.origins[0]}/hook`);
  const setSubscribed = async (isOn: boolean) => {
    const deleted = isOn ? null : new Date();
    await db.run(sql`UPDATE subscription SET deleted_date = ${deleted} WHERE id = ${id}`);
  };
  return { receiver, token, targets, setSubscribed };
}

/** Starts a server, and a worker unless the server does the background work itself. */
export async function startProcesses(consumer: "inline" | "worker") {
  const server = await start(FILES.server, consumer);
  const worker = consumer === "worker" ? await start(FILES.worker, consumer) : null;
  return {
    url: `http://127.0.0.1:${server.line}`,
    async stop() {
      await Promise.all([server.stop(), worker?.stop()]);
    },
  };
}

/** Starts a program and waits for its first line of output. */
async function start(file: string, consumer: string) {
  // The worker says that it has started at the level info.
  const LOG_LEVEL = file === FILES.worker ? "info" : "warn";
  const env = { ...process.env, LOG_LEVEL, STREAM_CONSUMER: consumer, NODE_ENV: "production" as const };
  const child = spawn(process.execPath, [file], { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
  const stop = () => end(child);
  onEnd(stop);
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${file} ended before it started`)));
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
  ended.catch(() => {});
  return { line: String(line), stop };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
