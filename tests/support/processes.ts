import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** A run of scripts/start.mjs: its output and how it ended. */
export interface StartedProcess {
  child: ChildProcess;
  output: () => string;
  /** Resolves when the output contains the text; rejects if the process ends without it. */
  printed: (text: string) => Promise<void>;
  exited: Promise<number | null>;
}

const running = new Set<ChildProcess>();

/** Creates a folder with a space in its name that any user may enter (PostgreSQL does not run as root). */
export function temporaryDataDir(): string {
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk fault-"));
  fs.chmodSync(parent, 0o755);
  return path.join(parent, "data");
}

/** Copies the data folder of a stopped server, keeping the owners of its files. */
export function copyDataDir(from: string, to: string): void {
  const { status, stderr } = spawnSync("cp", ["-a", from, to], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

/** Runs `node scripts/start.mjs`, or `npm start`, with only the given settings; without a demo by default. */
export function startCrosswalk(
  settings: Record<string, string>,
  { by = "node", demo = false }: { by?: "node" | "npm"; demo?: boolean } = {},
): StartedProcess {
  const { PATH, HOME, TMPDIR } = process.env;
  const defaults = { NODE_ENV: "production", HOST: "127.0.0.1", LOG_LEVEL: "silent" } as const;
  const pages = demo ? {} : { CROSSWALK_PRELOAD_PAGES: "false" };
  const env: NodeJS.ProcessEnv = { PATH, HOME, TMPDIR, ...defaults, ...pages, ...settings };
  const [command, args] = by === "npm" ? ["npm", ["start", "--"]] : [process.execPath, ["scripts/start.mjs"]];
  const child = spawn(command as string, [...(args as string[]), ...(demo ? [] : ["--no-demo"])], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let text = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      for (const look of waiting) look();
    });
  }
  const exited = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  const printed = (wanted: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => text.includes(wanted) && resolve();
      waiting.add(look);
      look();
      void exited.then((code) => reject(new Error(`ended with ${code} before it printed "${wanted}":\n${text}`)));
    });
  return { child, output: () => text, printed, exited };
}

/** Returns the PID of a data folder's database server, or null. */
export function postmasterPid(dataDir: string): number | null {
  try {
    const pid = Number(fs.readFileSync(path.join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0]);
    process.kill(pid, 0);
    return pid;
  } catch {
    return null;
  }
}

/** Ends what a failed test left running, including the database. */
export async function cleanUp(dataDir: string): Promise<void> {
  for (const child of running) child.kill("SIGKILL");
  const postmaster = postmasterPid(dataDir);
  if (postmaster) process.kill(postmaster, "SIGQUIT");
  for (let wait = 0; postmasterPid(dataDir) && wait < 50; wait++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  fs.rmSync(path.dirname(dataDir), { recursive: true, force: true });
}
