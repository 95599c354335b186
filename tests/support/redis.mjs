// Finds and starts a Redis or Valkey server: the system's, or that of Debian's package.
import { spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { CLUSTER_PROGRAMS, prepareClusterPrograms } from "../../scripts/lib/cluster/programs.mjs";
import { libraryFolders } from "../../scripts/lib/debian-packages.mjs";

const NAMES = ["valkey-server", "redis-server"];
const PROGRAMS = [...NAMES, ...NAMES.map((name) => path.join(CLUSTER_PROGRAMS, "usr/bin", name))];
const environment = () => ({ ...process.env, LD_LIBRARY_PATH: libraryFolders(CLUSTER_PROGRAMS).join(":") });

/** Returns the program, or null if it is not available. */
export function findRedis() {
  const starts = (program) => spawnSync(program, ["--version"], { stdio: "ignore", env: environment() }).status === 0;
  return PROGRAMS.find(starts) ?? null;
}

/**
 * Fetches a server unless one is available.
 * @returns {Promise<string | null>} why its tests are skipped, or null
 */
export async function prepareRedis() {
  return findRedis() ? null : prepareClusterPrograms();
}

/**
 * Starts a server that stores nothing, and waits until it listens.
 * @param {number} port
 * @returns {Promise<{ pause: () => void, resume: () => void, stop: () => Promise<void> }>} `pause` makes it hang
 */
export async function startRedis(port) {
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const child = spawn(findRedis() ?? "", args, { env: environment(), stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  await new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text) => {
      if (text.includes("Ready to accept connections")) resolve(undefined);
    });
    ended.then(() => reject(new Error("the Redis server ended")));
  });
  return {
    pause: () => child.kill("SIGSTOP"),
    resume: () => child.kill("SIGCONT"),
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
