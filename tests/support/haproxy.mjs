// Finds and starts HAProxy with deploy/haproxy/haproxy.cfg: the system's, or that of Debian's package.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { CLUSTER_PROGRAMS, prepareClusterPrograms } from "../../scripts/lib/cluster/programs.mjs";
import { libraryFolders } from "../../scripts/lib/debian-packages.mjs";
import { inRoot } from "../../scripts/lib/paths.mjs";

const PROGRAMS = ["haproxy", path.join(CLUSTER_PROGRAMS, "usr/sbin/haproxy")];
const CONFIG = inRoot("deploy/haproxy/haproxy.cfg");
const environment = (settings = {}) => ({
  ...process.env,
  LD_LIBRARY_PATH: libraryFolders(CLUSTER_PROGRAMS).join(":"),
  ...settings,
});

/** Returns the program, or null if it is not available. */
export function findHaproxy() {
  const starts = (program) => spawnSync(program, ["-v"], { stdio: "ignore", env: environment() }).status === 0;
  return PROGRAMS.find(starts) ?? null;
}

/**
 * Fetches HAProxy unless it is available.
 * @returns {Promise<string | null>} why its tests are skipped, or null
 */
export async function prepareHaproxy() {
  return findHaproxy() ? null : prepareClusterPrograms();
}

/**
 * Checks the configuration.
 * @param {Record<string, string>} settings its environment
 */
export function checkHaproxy(settings) {
  const args = ["-c", "-f", CONFIG];
  return spawnSync(findHaproxy() ?? "", args, { env: environment(settings), encoding: "utf8" });
}

/**
 * Starts HAProxy and waits until it uses all of its servers.
 * @param {{ port: number, servers: readonly string[] }} options `servers`: two addresses, such as 127.0.0.1:3000
 * @returns {Promise<{ url: string, pid: number, output: () => string, stop: () => Promise<void> }>}
 */
export async function startHaproxy({ port, servers }) {
  const [WEB_1 = "", WEB_2 = ""] = servers;
  const env = environment({ LISTEN: `127.0.0.1:${port}`, WEB_1, WEB_2 });
  const child = spawn(findHaproxy() ?? "", ["-db", "-f", CONFIG], { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const url = `http://127.0.0.1:${port}`;
  while (!(await isOpen(url))) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url,
    pid: child.pid ?? 0,
    output: () => output,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const isOpen = (url) =>
  fetch(url, { method: "HEAD" }).then(
    () => true,
    () => false,
  );
