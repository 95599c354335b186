// A cluster whose parts can fail in ways that need more than a signal: full disks, cut networks, wrong clocks, a slow image store.
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { closePool } from "@/lib/platform/db/pool";
import { db, sql } from "@/lib/platform/db/sql";
import { startCluster } from "@/scripts/lib/cluster/cluster.mjs";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { type Basics, seedBasics } from "../api";
import { changeSettings } from "../process-state";
import { startTcpProxy, type TcpProxy } from "../tcp-proxy";
import { createListener } from "../webhook-clients";
import { type Receiver, startReceiver, stopReceivers } from "../webhook-receivers";
import { type Clocks, createClocks, whyNoClocks } from "./clocks";
import type { Conversion } from "./conversion";
import { createDisk, type Disk, whyNoDisks } from "./disks";
import { copyLogs, printLogs } from "./logs";
import { readClockOffset, StandbyReads } from "./metrics";
import { BRIDGE, createNetworks, type Networks, whyNoNetworks } from "./networks";
import type { Writer } from "./writer";

type Cluster = Awaited<ReturnType<typeof startCluster>>;
type Answer = Parameters<typeof startReceiver>[0] & {};

/** What a fault can need, with why it is not available here, or null. */
const NEEDS = { disks: whyNoDisks, networks: whyNoNetworks, clocks: whyNoClocks };
export type Need = keyof typeof NEEDS;

/** Returns why what a fault needs is not available here, or null. */
export const whyUnsupported = (need: Need) => NEEDS[need]();

export interface World {
  cluster: Cluster;
  basics: Basics;
  store: TcpProxy;
  webhooks: {
    /** Answers a webhook that was received. */
    answer: Answer;
    accept: Answer;
    /** The events that were accepted, by ID: which patient they are about, and when the first attempt was accepted. */
    accepted: Map<string, { patient: number; time: number }>;
    receiver: Receiver;
    /** Sends the events of another practice. */
    listenTo: (practice: number) => Promise<unknown>;
  };
  /** By the name of a machine of the database, or `images`. */
  disks: Map<string, Disk>;
  networks: Networks | null;
  clocks: Clocks | null;
  /** The reads that standbys served. */
  standbyReads: StandbyReads;
  /** Returns the log of a server or worker so far. */
  readLog: (name: string) => string;
  /** Returns how many milliseconds the clock of a server or worker is ahead. */
  readClockOffset: (name: string) => Promise<number>;
  /** Copies the logs of all programs to a folder. */
  keepLogs: (target: string) => void;
  stop: () => Promise<void>;
}

/** What a fault gets: the cluster, and the load during which it fails. */
export interface FaultContext extends World {
  random: () => number;
  writers: readonly Writer[];
  conversion: Conversion;
  /** The practice of the patients, and a token for it. */
  practice: number;
  token: string;
  /** Waits until each client has made some more writes. */
  untilWritten: (more: number) => Promise<void>;
  /** Waits until clients got some more errors. */
  untilFailures: (more: number) => Promise<void>;
}

export interface Fault {
  /** Lets something fail, and repairs it. */
  inject: (context: FaultContext) => Promise<void>;
  needs?: Need;
  /** How many patients are converted meanwhile. */
  converted?: number;
  /** The deadline of the practice passes for good, or one server believes so meanwhile. With other faults, no legacy write may be rejected. */
  deadline?: "passes" | "passes on one server";
}

const DISKS = ["node1", "node2", "node3"];
const PROGRAMS = ["web-1", "web-2", "worker-1", "worker-2"];
/** Shorter pauses, timeouts and leases of webhooks than usual, so that a round does not wait for them. */
const SETTINGS = { WEBHOOK_FIRST_RETRY_MS: "500", WEBHOOK_TIMEOUT_MS: "3000", LOG_LEVEL: "warn" };

/** Starts a cluster with what the faults need. */
export async function startWorld(needs: ReadonlySet<Need>): Promise<World> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-cluster-"));
  // The programs run as other users.
  fs.chmodSync(folder, 0o755);
  startReaper(process.pid, folder);
  // Vitest was stopped. Its processes would finish their tests first.
  process.once("disconnect", () => process.exit(1));
  const stops: (() => void | Promise<void>)[] = [() => fs.rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (let one = stops.pop(); one; one = stops.pop()) await one();
  };
  try {
    return { ...(await startParts(folder, needs, stops)), stop };
  } catch (error) {
    printLogs(folder);
    await stop();
    throw error;
  }
}

/** Makes sure that nothing is left if a process is killed before it could stop its cluster. */
export function startReaper(pid: number, folder: string): ChildProcess {
  const args = [inRoot("tests/support/faults/reaper.mjs"), String(pid), folder, BRIDGE];
  const reaper = spawn(process.execPath, args, { detached: true, stdio: "ignore" });
  reaper.unref();
  return reaper;
}

async function startParts(
  folder: string,
  needs: ReadonlySet<Need>,
  stops: (() => void | Promise<void>)[],
): Promise<Omit<World, "stop">> {
  const disks = new Map<string, Disk>();
  const mount = (name: string, at: string) => {
    const disk = createDisk(path.join(folder, at));
    stops.push(disk.remove);
    disks.set(name, disk);
  };
  if (needs.has("disks")) {
    for (const name of DISKS) mount(name, `${name}/postgres`);
    mount("images", "images");
  }
  const networks = needs.has("networks") ? createNetworks() : null;
  if (networks) stops.push(networks.remove);
  const clocks = needs.has("clocks") ? createClocks(folder) : null;
  const metricsPorts = new Map<string, number>();
  for (const name of PROGRAMS) metricsPorts.set(name, await freePort());

  let store: TcpProxy | undefined;
  process.env.WEBHOOK_ALLOW_PRIVATE = "true";
  const cluster = await startCluster({
    folder,
    port: await freePort(),
    environment: { ...process.env, ...SETTINGS },
    environmentOf: (name) => ({ ...clocks?.environmentOf(name), METRICS_PORT: String(metricsPorts.get(name)) }),
    ...(networks && { machines: networks.machines, etcdHost: networks.etcd }),
    async prepare(settings: Record<string, string>) {
      store = await startTcpProxy(settings.S3_ENDPOINT as string);
      settings.S3_ENDPOINT = `http://${store.place}`;
    },
  });
  stops.push(async () => {
    for (const name of cluster.databases.names) cluster.databases.loseMachine(name);
    await cluster.stop();
  });
  if (!store) throw new Error("the cluster was not prepared");
  stops.push(store.stop, closePool, stopReceivers);
  await changeSettings(cluster.settings);
  const basics = await seedBasics();
  const webhooks = await listenToWebhooks(basics);
  const readLog = (name: string) => fs.readFileSync(path.join(folder, `${name}.log`), "utf8");
  return {
    cluster,
    basics,
    store,
    webhooks,
    disks,
    networks,
    clocks,
    standbyReads: new StandbyReads(metricsPorts, (name) => cluster.programs.get(name)?.pid),
    readLog,
    readClockOffset: (name) => readClockOffset(metricsPorts, name),
    keepLogs: (target) => copyLogs(folder, target),
  };
}

/** Subscribes a client to all changes of patients. */
async function listenToWebhooks(basics: Basics): Promise<World["webhooks"]> {
  const accepted: World["webhooks"]["accepted"] = new Map();
  const accept: Answer = ({ headers, body }, response) => {
    const id = String(headers["webhook-id"]);
    if (!accepted.has(id)) accepted.set(id, { patient: JSON.parse(body).data.id, time: performance.now() });
    response.end();
  };
  const receiver = await startReceiver((request, response) => webhooks.answer(request, response));
  const { client } = await createListener(basics, `http://127.0.0.1:${receiver.port}/`);
  const listenTo = (practice: number) =>
    db.run(sql`INSERT INTO oauth_client_practice (client_id, practice_id) VALUES (${client.id}, ${practice})`);
  const webhooks = { accept, answer: accept, accepted, receiver, listenTo };
  return webhooks;
}
