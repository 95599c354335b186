// `npm run worker` on the database of the test file.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { programOf } from "@/scripts/lib/programs.mjs";

export class WorkerProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves when it has started to look for work. */
  static async start(settings: Record<string, string> = {}, program = [programOf("worker.ts")]) {
    const child = spawn(process.execPath, program, {
      // Its log says when it has started.
      env: { ...process.env, ...settings, LOG_LEVEL: "info", LOG_FILE: "" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit").then(() => Promise.reject(new Error("the worker ended before it started")));
    const started = new Promise<void>((resolve) => {
      let output = "";
      child.stdout.on("data", (chunk) => {
        output += chunk;
        if (output.includes('"worker started"')) resolve();
      });
    });
    await Promise.race([started, ended]);
    ended.catch(() => {});
    child.stdout.removeAllListeners("data").resume();
    return new WorkerProcess(child);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Its peak memory so far; null if the system has no /proc. */
  peakRssMiB(): number | null {
    const status = `/proc/${this.pid}/status`;
    if (!fs.existsSync(status)) return null;
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(fs.readFileSync(status, "utf8"))?.[1]) / 1024;
  }

  /** Sends SIGKILL, which allows no cleanup. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** Sends SIGTERM, which lets it finish its work. */
  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }
}
