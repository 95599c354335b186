// Finds and starts a Redis or Valkey server: the system's, or that of Debian's package.
import { spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { libraryFolders, prepareTool, unpackPackages } from "../../scripts/lib/debian-packages.mjs";
import { inRoot } from "../../scripts/lib/paths.mjs";

const HOME = inRoot(".data/test-redis");
const ROOT = path.join(HOME, "root");
const NAMES = ["valkey-server", "redis-server"];
const PROGRAMS = [...NAMES, ...NAMES.map((name) => path.join(ROOT, "usr/bin", name))];
const environment = () => ({ ...process.env, LD_LIBRARY_PATH: libraryFolders(ROOT).join(":") });

/** Returns the program, or null if it is not available. */
export function findRedis() {
  const starts = (program) => spawnSync(program, ["--version"], { stdio: "ignore", env: environment() }).status === 0;
  return PROGRAMS.find(starts) ?? null;
}

/**
 * Fetches a server unless one is available.
 * @returns {Promise<string | null>} why its tests are skipped, or null
 */
export function prepareRedis() {
  return prepareTool(HOME, {
    title: "Fetching Redis for the tests of shared limits",
    isAvailable: () => findRedis() !== null,
    fetch: () => unpackPackages(HOME, [NAMES], "Redis"),
  });
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
