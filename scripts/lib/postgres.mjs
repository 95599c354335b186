// The bundled database: a real PostgreSQL that pg_ctl runs as a daemon. Any number of scripts share it, and the last one to exit
// stops it. It keeps running if a script is killed with -9.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { DatabaseClient } from "../../lib/platform/db/client.mjs";
import { freePort } from "./free-port.mjs";
import { isEnding, onEnd } from "./lifetime.mjs";
import { isAlive, registerUser, unregisterUser, withLock } from "./lock.mjs";
import { preparePrograms, runAs } from "./postgres-binaries.mjs";
import { Failure } from "./progress.mjs";

const USER = "crosswalk";
const ATTEMPTS = 40;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const quote = (name) => `"${name.replaceAll('"', '""')}"`;

/**
 * Starts the cluster in `directory` if it is not running, creates what is missing, and keeps it running until this process ends.
 * @param {{ directory: string, database?: string, settings?: Record<string, string | number>,
 *   prepare?: (url: string) => Promise<void> }} options `settings` go into postgresql.conf when the cluster is created; `prepare` runs
 *   under the cluster's lock
 * @returns {Promise<{ url: string, release: () => Promise<void> }>}
 */
export async function startPostgres({ directory, database = "crosswalk", settings = {}, prepare }) {
  fs.mkdirSync(path.dirname(directory), { recursive: true });
  const cluster = { directory, password: "", port: 0, ...(await preparePrograms(directory)) };
  const release = once(() => releasePostgres(cluster));
  onEnd(release);
  await withLock(`${directory}.lock`, async () => {
    registerUser(`${directory}.users`);
    if (!fs.existsSync(path.join(directory, "PG_VERSION"))) createCluster(cluster, settings);
    cluster.password = readPassword(directory);
    await ensureRunning(cluster, database);
    await prepare?.(urlOf(cluster, database));
  });
  return { url: urlOf(cluster, database), release };
}

function once(work) {
  let done;
  return () => {
    done ??= work();
    return done;
  };
}

/** Reads the password from its file beside the data, which only the user of the project can read. */
function readPassword(directory) {
  try {
    return fs.readFileSync(`${directory}.password`, "utf8").trim();
  } catch {
    throw new Failure(
      `${directory}.password is missing or unreadable: restore it, or delete ${directory} to start with an empty database`,
    );
  }
}

/** Deletes the drafts of interrupted starts. An orphaned initdb may still be writing one, which a later start then deletes. */
function removeDrafts(directory) {
  const name = path.basename(directory);
  for (const entry of fs.readdirSync(path.dirname(directory))) {
    if (!entry.startsWith(`${name}.new`)) continue;
    try {
      fs.rmSync(path.join(path.dirname(directory), entry), { recursive: true, force: true });
    } catch {}
  }
}

/** Creates the cluster in a draft folder and renames that, so an interrupted initdb leaves nothing that looks like a cluster. */
function createCluster({ directory, initdb, user }, settings) {
  removeDrafts(directory);
  const draft = `${directory}.new-${randomBytes(4).toString("hex")}`;
  const pwfile = `${directory}.pwfile`;
  const password = randomBytes(24).toString("base64url");
  const owner = user.owner ?? user;
  fs.rmSync(pwfile, { force: true });
  fs.mkdirSync(draft, { mode: 0o700 });
  fs.writeFileSync(pwfile, password, { mode: 0o600 });
  if (owner.uid !== undefined) for (const file of [draft, pwfile]) fs.chownSync(file, owner.uid, owner.gid);
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const access = ["-U", USER, "--auth=scram-sha-256", `--pwfile=${pwfile}`];
  const { status, output } = runAs(user, [initdb, "-D", draft, ...access, ...locale, "--no-sync"]);
  fs.rmSync(pwfile);
  if (status !== 0) {
    fs.rmSync(draft, { recursive: true, force: true });
    throw new Failure(`PostgreSQL could not create its data folder: ${output.trim()}`);
  }
  const all = { listen_addresses: "'127.0.0.1'", unix_socket_directories: "''", timezone: "'UTC'", ...settings };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
  fs.appendFileSync(path.join(draft, "postgresql.conf"), `\n# Crosswalk\n${lines.join("")}`);
  fs.writeFileSync(`${directory}.password`, `${password}\n`, { mode: 0o600 });
  fs.rmSync(directory, { recursive: true, force: true });
  fs.renameSync(draft, directory);
}

/** Starts the server if it is not running. Retries, because the children of a killed server may hold its memory for a moment. */
async function ensureRunning(cluster, database) {
  let problem = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (isEnding()) throw new Failure("stopped");
    if (attempt > 0) await pause(attempt < 10 ? 100 : 500);
    try {
      cluster.port = runningPort(cluster.directory) ?? (await startServer(cluster));
      await createDatabase(cluster, database);
      return;
    } catch (error) {
      if (error.code === "28P01")
        throw new Failure(
          `the password in ${cluster.directory}.password is wrong for the database in ${cluster.directory}`,
        );
      problem = error.message;
    }
  }
  throw new Failure(`PostgreSQL could not be started: ${problem}`);
}

/** Returns the port of the running server, or null. Deletes the PID file of a killed server if its PID was reused. */
function runningPort(directory) {
  const file = path.join(directory, "postmaster.pid");
  if (!fs.existsSync(file)) return null;
  const [pid, , , port] = fs.readFileSync(file, "utf8").split("\n").map(Number);
  if (!pid || !isAlive(pid)) return null;
  if (isPostgres(pid)) return port || null;
  // Another program has this PID now, as is common in containers. PostgreSQL would refuse to start.
  fs.rmSync(file);
  return null;
}

function isPostgres(pid) {
  const commandLine = `/proc/${pid}/cmdline`;
  // Without /proc, the PID file is trusted, as PostgreSQL itself does.
  return !fs.existsSync(commandLine) || /postgres/.test(fs.readFileSync(commandLine, "utf8").split("\0")[0]);
}

async function startServer({ directory, pgCtl, user }) {
  const remembered = `${directory}.port`;
  const port = await freePort(fs.existsSync(remembered) ? Number(fs.readFileSync(remembered, "utf8")) : undefined);
  fs.writeFileSync(remembered, `${port}\n`);
  const log = path.join(directory, "server.log");
  fs.rmSync(log, { force: true });
  // Detailed errors quote the rejected row, but logs must not contain patient data.
  const options = `-p ${port} -c log_error_verbosity=terse`;
  const { status } = runAs(user, [pgCtl, "-D", directory, "-w", "-t", "60", "-l", log, "-o", options, "start"]);
  if (status === 0) return port;
  const lines = fs.existsSync(log) ? fs.readFileSync(log, "utf8").trim().split("\n") : [];
  throw new Error(lines.findLast((line) => /FATAL|ERROR|PANIC/.test(line)) ?? lines.at(-1) ?? "no reason given");
}

const urlOf = ({ password, port }, database) => `postgresql://${USER}:${password}@127.0.0.1:${port}/${database}`;

async function createDatabase(cluster, database) {
  await asAdmin(urlOf(cluster, "postgres"), async (client) => {
    const found = await client.query("select 1 from pg_database where datname = $1", [database]);
    if (found.rowCount === 0) await client.query(`create database ${quote(database)}`);
  });
}

/** Drops the database that the URL names, and creates it again, empty. */
export async function recreateDatabase(url) {
  const admin = new URL(url);
  const name = quote(decodeURIComponent(admin.pathname.slice(1)));
  admin.pathname = "/postgres";
  await asAdmin(admin.href, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
  });
}

/**
 * Opens a connection, runs `work` with it, and closes it.
 * @template T
 * @param {string} url
 * @param {(client: import("pg").Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function asAdmin(url, work) {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // If the server stops, the running statement reports that. Without a listener, the event would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

async function releasePostgres({ directory, pgCtl, user }) {
  await withLock(`${directory}.lock`, async () => {
    if (unregisterUser(`${directory}.users`) || runningPort(directory) === null) return;
    const { status, output } = runAs(user, [pgCtl, "-D", directory, "-m", "fast", "-w", "-t", "60", "stop"]);
    if (status !== 0 && runningPort(directory) !== null)
      throw new Failure(`PostgreSQL could not be stopped: ${output.trim()}`);
  });
}
