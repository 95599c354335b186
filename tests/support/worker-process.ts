// `npm run worker` on the database of the test file.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { programOf } from "@/scripts/lib/programs.mjs";

export class WorkerProcess {
  readonly #child: ChildProcess;
  #output = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    child.stderr?.pipe(process.stderr, { end: false });
  }

  /** Resolves when it has started to look for work. */
  static async start(settings: Record<string, string> = {}, program = [programOf("worker.ts")]) {
    const child = spawn(process.execPath, program, {
      // Its log says when it has started.
      env: { ...process.env, ...settings, LOG_LEVEL: "info", LOG_FILE: "" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const worker = new WorkerProcess(child);
    const ended = once(child, "exit").then(() => Promise.reject(new Error("the worker ended before it started")));
    const started = new Promise<void>((resolve) => {
      child.stdout.on("data", () => worker.output.includes('"worker started"') && resolve());
    });
    await Promise.race([started, ended]);
    ended.catch(() => {});
    return worker;
  }

  /** What it has printed, with its log. */
  get output(): string {
    return this.#output;
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
