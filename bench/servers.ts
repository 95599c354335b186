import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { onEnd } from "@/scripts/lib/lifetime.mjs";
import { inRoot, ROOT } from "@/scripts/lib/paths.mjs";
import { bundleOf } from "./bundle";
import type { LoadFiles, LoadResult, LoadSpec } from "./load";
import type { BenchData } from "./seed-bench";

export type ServerName = "bound" | "hand-written" | "crosswalk";

export interface BenchServer {
  name: ServerName;
  pid: number;
  url: string;
  stop(): Promise<void>;
}

/** Each server's program, and a path that responds with 401 without a token. */
const PROGRAMS: Record<ServerName, { file: string; path: string }> = {
  bound: { file: bundleOf("bound.ts"), path: "/patients/1/policies" },
  "hand-written": { file: bundleOf("hand-written.ts"), path: "/api/2.0/patients/1/policies" },
  crosswalk: { file: inRoot("build/server.mjs"), path: "/api/2.0/patients/1/policies" },
};
/** The product without its pages, which needs no build of Next.js. */
export const API_SERVER = bundleOf("api-server.ts");
const START_LIMIT_MS = 30_000;

/**
 * Starts a server and waits until it responds. Its log goes to /dev/null, and its standard error is shown.
 *
 * @param options options of Node.js
 * @param program another program of the server, such as API_SERVER
 */
export async function startServer(
  name: ServerName,
  settings: Record<string, string>,
  options: readonly string[] = [],
  program?: string,
): Promise<BenchServer> {
  const { file, path: probe } = PROGRAMS[name];
  const port = await freePort();
  const env = { ...process.env, ...settings, PORT: String(port), HOST: "127.0.0.1", NODE_ENV: "production" as const };
  const child = spawn(process.execPath, [...nodeOptions(name), ...options, program ?? file], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise<never>((_, reject) => {
    child.once("exit", (code) => reject(new Error(`the ${name} server exited with code ${code}`)));
  });
  ended.catch(() => {});
  onEnd(() => stop(child));
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([waitUntilReady(`${url}${probe}`), ended]);
  return { name, pid: child.pid as number, url, stop: () => stop(child) };
}

/** Returns BENCH_NODE_OPTIONS, such as `--cpu-prof`, for the product's server only. */
function nodeOptions(name: ServerName): string[] {
  return name === "crosswalk" ? (process.env.BENCH_NODE_OPTIONS ?? "").split(" ").filter(Boolean) : [];
}

async function waitUntilReady(url: string): Promise<void> {
  const end = performance.now() + START_LIMIT_MS;
  while (performance.now() < end) {
    const response = await fetch(url).catch(() => null);
    await response?.arrayBuffer();
    if (response?.status === 401) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`no response from ${url}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const limit = setTimeout(() => child.kill("SIGKILL"), 15_000);
  await ended;
  clearTimeout(limit);
}

/** Writes the data of a load that uploads no images to a temporary folder, which is deleted when the benchmark ends. */
export function writeLoadData(data: BenchData): LoadFiles {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-bench-"));
  onEnd(() => fs.rmSync(folder, { recursive: true, force: true }));
  const files = { dataFile: path.join(folder, "data.json"), imageFile: path.join(folder, "none") };
  fs.writeFileSync(files.dataFile, JSON.stringify(data));
  fs.writeFileSync(files.imageFile, "");
  return files;
}

/** Loads a server from a separate process. */
export function runLoad(
  server: BenchServer,
  files: LoadFiles,
  load: Pick<LoadSpec, "job" | "connections" | "until" | "targets">,
): Promise<LoadResult> {
  const spec: LoadSpec = { server: server.name, url: server.url, ...files, ...load };
  return new Promise((resolve, reject) => {
    const args = [bundleOf("load.ts"), JSON.stringify(spec)];
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
    onEnd(() => stop(child));
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(JSON.parse(output) as LoadResult);
      else reject(new Error(`the load exited with code ${code}`));
    });
  });
}
