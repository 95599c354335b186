// A highly available installation on one machine.
import { randomBytes } from "node:crypto";
import net from "node:net";
import path from "node:path";
import { migrate } from "../database.mjs";
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
const MACHINES = 3;
const COPIES = [1, 2];
/** How often machines of the database are looked after. */
const CARE_MS = 1_000;
const HEALTHY_MS = 120_000;

/**
 * @typedef {object} Cluster
 * @property {string} url of HAProxy
 * @property {DatabaseCluster} databases
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
 * @param {(settings: Record<string, string>) => Promise<void>} [options.prepare] runs before the servers start, with the database migrated
 * @param {(stop: () => Promise<void>) => void} [options.onStart] gets what stops all that was started so far
 * @returns {Promise<Cluster>}
 */
export async function startCluster({ folder, port, environment, prepare, onStart }) {
  const stops = [];
  const stop = async () => {
    for (let one = stops.pop(); one; one = stops.pop()) await one();
  };
  onStart?.(stop);
  try {
    return { ...(await startParts({ folder, port, environment, prepare }, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts({ folder, port, environment, prepare }, stops) {
  const databases = await step("Starting three PostgreSQL servers, Patroni and etcd", () =>
    startDatabases(folder, stops),
  );
  const url = `http://localhost:${port}`;
  const keys = { accessKeyId: "crosswalk:cluster", secretAccessKey: newPassword() };
  const store = await launchSwift(keys);
  stops.push(store.stop);
  const ownerUrl = databases.url(DATABASE);
  await asAdmin(databases.url(), (client) => client.query(`CREATE DATABASE ${DATABASE}`));
  const databaseUrl = await ensureRole(ownerUrl, { role: RUNTIME_ROLE, password: newPassword() });
  await migrate({ url: databaseUrl, ownerUrl });
  const redis = await startRedis(folder, stops);
  const settings = {
    NODE_ENV: "production",
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    SECRET_KEY: newPassword(),
    HOST,
    PUBLIC_URL: url,
    TRUST_PROXY: "true",
    STREAM_CONSUMER: "worker",
    STOP_DELAY_MS: "2500",
    CROSSWALK_DATA_DIR: path.join(folder, "data"),
    IMAGE_STORE: "s3",
    S3_ENDPOINT: store.endpoint,
    S3_BUCKET: "card-images",
    S3_ACCESS_KEY_ID: keys.accessKeyId,
    S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
    S3_FORCE_PATH_STYLE: "true",
  };
  await createBucket(settings);
  await prepare?.(settings);
  const programs = new Map([["redis", redis.program]]);
  const keep = (name, program) => {
    programs.set(name, program);
    stops.push(() => program.stop());
  };
  const webPorts = [];
  for (const copy of COPIES) {
    const env = { ...environment, ...settings };
    const log = (name) => path.join(folder, `${name}-${copy}.log`);
    keep(`worker-${copy}`, keepNode([inRoot("build/worker.mjs")], { env, log: log("worker") }));
    const webPort = await freePort();
    webPorts.push(webPort);
    const web = { env: { ...env, PORT: String(webPort) }, log: log("web") };
    keep(`web-${copy}`, keepNode([inRoot("build/server.mjs")], web));
  }
  keep("haproxy", startHaproxy(folder, { port, servers: webPorts.map((one) => `${HOST}:${one}`) }));
  await step("Starting two servers and two workers behind HAProxy", () => untilOpen(`${url}/readyz`));
  return { url, databases, programs, settings };
}

async function startDatabases(folder, stops) {
  const ports = [];
  for (let machine = 0; machine < MACHINES; machine++)
    ports.push({
      etcd: await freePort(),
      peers: await freePort(),
      patroni: await freePort(),
      postgres: await freePort(),
    });
  const passwords = { superuser: newPassword(), replicator: newPassword() };
  const databases = new DatabaseCluster({ folder, root: CLUSTER_PROGRAMS, ports, passwords });
  stops.push(() => databases.stop());
  databases.start();
  await until(() => databases.isHealthy(), "the database is not healthy. See the logs of its machines");
  const care = setInterval(() => databases.start(), CARE_MS);
  stops.push(async () => clearInterval(care));
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

async function createBucket({ S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }) {
  const { S3 } = await import("@aws-sdk/client-s3");
  const s3 = new S3({
    endpoint: S3_ENDPOINT,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
  });
  await s3.createBucket({ Bucket: S3_BUCKET });
  s3.destroy();
}

const newPassword = () => randomBytes(24).toString("base64url");

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, HOST, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const untilOpen = (url) =>
  until(
    () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    `${url} does not respond. See the logs`,
  );

async function until(condition, problem) {
  const end = performance.now() + HEALTHY_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Failure(problem);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
