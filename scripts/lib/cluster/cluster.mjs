// A highly available installation on one machine.
import { randomBytes } from "node:crypto";
import path from "node:path";
import { migrate } from "../database.mjs";
import { freePort } from "../free-port.mjs";
import { Machine } from "../machine.mjs";
import { inRoot } from "../paths.mjs";
import { asAdmin } from "../postgres.mjs";
import { Failure, step } from "../progress.mjs";
import { ensureRole, RUNTIME_ROLE } from "../roles.mjs";
import { DatabaseCluster } from "./databases.mjs";
import { KeptProgram, keepNode } from "./keep-running.mjs";
import { CLUSTER_PROGRAMS } from "./programs.mjs";
import { launchSwift } from "./swift.mjs";

const HOST = "127.0.0.1";
const DATABASE = "crosswalk";
const BUCKET = "card-images";
/** All machines of the database are this one. */
const MACHINES = [{ host: HOST }, { host: HOST }, { host: HOST }];
const COPIES = [1, 2];
/** How often machines of the database are looked after. */
const CARE_MS = 1_000;
const HEALTHY_MS = 120_000;

/**
 * @typedef {object} Cluster
 * @property {string} url of HAProxy
 * @property {DatabaseCluster} databases
 * @property {(signal: NodeJS.Signals) => void} signalStore sends a signal to the image store
 * @property {Map<string, KeptProgram>} programs the servers (`web-1`), workers (`worker-1`), HAProxy (`haproxy`) and Redis (`redis`)
 * @property {Record<string, string>} settings of the servers and workers
 * @property {() => Promise<void>} stop
 */

/**
 * Starts everything, and keeps it running: what ends is started again after a second.
 *
 * @param {object} options
 * @param {string} options.folder for the data and logs
 * @param {number} options.port HAProxy's
 * @param {Record<string, string | undefined>} options.environment of the servers and workers, besides their settings
 * @param {(name: string) => Record<string, string>} [options.environmentOf] what differs for a server or worker, such as `web-1`
 * @param {readonly import("./databases.mjs").Place[]} [options.machines] where the three machines of the database run. Default: here
 * @param {string} [options.etcdHost] an address of this machine that they reach, for etcd
 * @param {(settings: Record<string, string>) => Promise<void>} [options.prepare] runs before the servers start, with the database migrated. Can
 *   change their settings
 * @param {(stop: () => Promise<void>) => void} [options.onStart] gets what stops all that was started so far
 * @returns {Promise<Cluster>}
 */
export async function startCluster({ onStart, ...options }) {
  const stops = [];
  const stop = async () => {
    for (let one = stops.pop(); one; one = stops.pop()) await one();
  };
  onStart?.(stop);
  try {
    return { ...(await startParts(options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(options, stops) {
  const {
    folder,
    port,
    environment,
    environmentOf = () => ({}),
    machines = MACHINES,
    etcdHost = HOST,
    prepare,
  } = options;
  const databases = await step("Starting three PostgreSQL servers, Patroni and etcd", () =>
    startDatabases({ folder, machines, etcdHost }, stops),
  );
  const databaseUrl = await createDatabase(databases);
  const store = await startStore(folder, stops);
  const redis = await startRedis(folder, stops);
  const settings = {
    NODE_ENV: "production",
    DATABASE_URL: databaseUrl,
    DATABASE_REPLICA_URL: databaseUrl.replace("read-write", "standby"),
    REDIS_URL: redis.url,
    SECRET_KEY: newPassword(),
    HOST,
    PUBLIC_URL: `http://localhost:${port}`,
    TRUST_PROXY: "true",
    STREAM_CONSUMER: "worker",
    STOP_DELAY_MS: "2500",
    CROSSWALK_DATA_DIR: path.join(folder, "data"),
    ...store.settings,
  };
  await prepare?.(settings);
  const programs = new Map([["redis", redis.program]]);
  const envOf = (name) => ({ ...environment, ...settings, ...environmentOf(name) });
  await step("Starting two servers and two workers behind HAProxy", async () => {
    for (const [name, program] of await startCopies(folder, { port, envOf })) {
      programs.set(name, program);
      stops.push(() => program.stop());
    }
    await until(() => isOpen(`${settings.PUBLIC_URL}/readyz`), "HAProxy has no server that is ready. See the logs");
  });
  return { url: settings.PUBLIC_URL, databases, signalStore: store.signal, programs, settings };
}

/** Creates the database with its roles and tables. Returns the URL of the server's role. */
async function createDatabase(databases) {
  await asAdmin(databases.url(), (client) => client.query(`CREATE DATABASE ${DATABASE}`));
  const ownerUrl = databases.url(DATABASE);
  const url = await ensureRole(ownerUrl, { role: RUNTIME_ROLE, password: newPassword() });
  await migrate({ url, ownerUrl });
  return url;
}

/** Starts the store of card images, with an empty bucket. */
async function startStore(folder, stops) {
  const keys = { accessKeyId: "crosswalk:cluster", secretAccessKey: newPassword() };
  const { endpoint, signal, stop } = await launchSwift(keys, path.join(folder, "images"));
  stops.push(stop);
  const { S3 } = await import("@aws-sdk/client-s3");
  const s3 = new S3({ endpoint, region: "us-east-1", forcePathStyle: true, credentials: keys });
  await s3.createBucket({ Bucket: BUCKET });
  s3.destroy();
  const settings = {
    IMAGE_STORE: "s3",
    S3_ENDPOINT: endpoint,
    S3_BUCKET: BUCKET,
    S3_ACCESS_KEY_ID: keys.accessKeyId,
    S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
    S3_FORCE_PATH_STYLE: "true",
  };
  return { settings, signal };
}

/** Starts the servers, the workers, and HAProxy at `port`. Returns them by name. */
async function startCopies(folder, { port, envOf }) {
  const programs = new Map();
  const ports = [];
  for (const copy of COPIES) {
    const webPort = await freePort();
    ports.push(webPort);
    const start = (kind, program, env = {}) => {
      const name = `${kind}-${copy}`;
      const options = { env: { ...envOf(name), ...env }, log: path.join(folder, `${name}.log`) };
      programs.set(name, keepNode([inRoot("build", program)], options));
    };
    start("worker", "worker.mjs");
    start("web", "server.mjs", { PORT: String(webPort) });
  }
  return programs.set("haproxy", startHaproxy(folder, { port, servers: ports.map((one) => `${HOST}:${one}`) }));
}

async function startDatabases({ folder, machines, etcdHost }, stops) {
  const placed = [];
  for (const machine of machines) placed.push({ ...machine, patroni: await freePort(), postgres: await freePort() });
  const ports = [];
  for (const _ of machines) ports.push({ client: await freePort(), peer: await freePort() });
  const etcd = { host: etcdHost, ports };
  const passwords = { superuser: newPassword(), others: newPassword() };
  const databases = new DatabaseCluster({ folder, root: CLUSTER_PROGRAMS, machines: placed, etcd, passwords });
  stops.push(() => databases.stop());
  databases.start();
  const care = setInterval(() => databases.start(), CARE_MS);
  stops.push(async () => clearInterval(care));
  await until(() => databases.isHealthy(), "the database is not healthy. See the logs of its machines");
  return databases;
}

async function startRedis(folder, stops) {
  const port = await freePort();
  const machine = new Machine(path.join(folder, "redis"), CLUSTER_PROGRAMS);
  const args = ["--port", String(port), "--bind", HOST, "--save", "", "--appendonly", "no"];
  const program = new KeptProgram(() => machine.start("redis-server", args, { log: "redis.log" }));
  stops.push(() => program.stop());
  return { program, url: `redis://${HOST}:${port}` };
}

function startHaproxy(folder, { port, servers: [WEB_1, WEB_2] }) {
  const machine = new Machine(path.join(folder, "haproxy"), CLUSTER_PROGRAMS);
  const args = ["-db", "-f", inRoot("deploy/haproxy/haproxy.cfg")];
  const variables = { LISTEN: `${HOST}:${port}`, WEB_1, WEB_2 };
  return new KeptProgram(() => machine.start("haproxy", args, { log: "haproxy.log", variables }));
}

const newPassword = () => randomBytes(24).toString("base64url");

const isOpen = (url) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

async function until(condition, problem) {
  const end = performance.now() + HEALTHY_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Failure(problem);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
