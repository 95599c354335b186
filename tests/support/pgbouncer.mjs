// Finds and starts PgBouncer with deploy/pgbouncer/pgbouncer.ini: the system's, or that of Debian's package.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ownLoader, prepareTool, unpackNewerPackages } from "../../scripts/lib/debian-packages.mjs";
import { inRoot } from "../../scripts/lib/paths.mjs";

const HOME = inRoot(".data/test-pgbouncer");
const ROOT = path.join(HOME, "root");
/** PgBouncer 1.24. Debian 12 has 1.18, which does not support prepared statements. */
const NEWER = {
  release: "trixie",
  packages: [
    "pgbouncer",
    ...["libc6", "libgcc-s1", "libcares2", "libevent-2.1-7t64", "libpam0g", "libssl3t64", "libsystemd0"],
    ...["libaudit1", "libcap2", "libcap-ng0", "libzstd1", "zlib1g"],
  ],
};

/** Returns the command, or null if none is available that supports prepared statements. */
export function findPgBouncer() {
  const commands = [["pgbouncer"], [...ownLoader(ROOT), path.join(ROOT, "usr/sbin/pgbouncer")]];
  return commands.find(([program, ...args]) => isNewEnough(program, args)) ?? null;
}

function isNewEnough(program, args) {
  const { stdout } = spawnSync(program, [...args, "--version"], { encoding: "utf8" });
  const [, major = 0, minor = 0] = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? "") ?? [];
  return major > 1 || (Number(major) === 1 && minor >= 21);
}

/**
 * Fetches PgBouncer unless it is available.
 * @returns {Promise<string | null>} why its tests are skipped, or null
 */
export function preparePgBouncer() {
  return prepareTool(HOME, {
    title: "Fetching PgBouncer for its tests",
    isAvailable: () => findPgBouncer() !== null,
    fetch: () => unpackNewerPackages(HOME, NEWER, "PgBouncer"),
  });
}

/**
 * Starts PgBouncer in front of a database with the configuration of deploy/pgbouncer, and waits until it listens.
 *
 * @param {string} database the URL with the login of the server's role
 * @param {number} port
 * @param {Record<string, string | number>} [settings] instead of those of the file
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>} `url` leads through PgBouncer
 */
export async function startPgBouncer(database, port, settings = {}) {
  const { hostname, port: serverPort, pathname, username, password } = new URL(database);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pgbouncer-"));
  fs.chmodSync(folder, 0o755);
  const users = path.join(folder, "userlist.txt");
  fs.writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  const own = {
    listen_port: port,
    auth_file: users,
    ...(process.getuid?.() === 0 ? { user: "nobody" } : {}),
    ...settings,
  };
  const target = `host=${hostname} port=${serverPort} dbname=${pathname.slice(1)}`;
  const file = path.join(folder, "pgbouncer.ini");
  fs.writeFileSync(file, configure({ crosswalk: target, ...own }));
  const [program, ...args] = findPgBouncer() ?? [""];
  const child = spawn(program, [...args, file], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let log = "";
  await new Promise((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text) => {
      log += text;
      if (log.includes("process up")) resolve(undefined);
    });
    ended.then(() => reject(new Error(`PgBouncer ended:\n${log}`)));
  });
  const url = new URL(database);
  Object.assign(url, { host: `127.0.0.1:${port}`, pathname: "/crosswalk" });
  return {
    url: url.href,
    log: () => log,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the configuration of deploy/pgbouncer with other values. Its last section has the settings. */
function configure(values) {
  const template = fs.readFileSync(inRoot("deploy/pgbouncer/pgbouncer.ini"), "utf8");
  return Object.entries(values).reduce((text, [name, value]) => {
    const line = new RegExp(`^${name} = .*$`, "m");
    return line.test(text) ? text.replace(line, `${name} = ${value}`) : `${text}${name} = ${value}\n`;
  }, template);
}
