// Keeps programs running as a supervisor does: each that ends is started again after a second.
import { spawn } from "node:child_process";
import fs from "node:fs";

const RESTART_MS = 1_000;

export class KeptProgram {
  #start;
  #child;
  #timer;
  #isStopping = false;

  /** @param {() => import("node:child_process").ChildProcess} start */
  constructor(start) {
    this.#start = start;
    this.#run();
  }

  #run() {
    this.#child = this.#start();
    // Without a listener, a program that can't be started would end this process.
    this.#child.once("error", () => {});
    this.#child.once("close", () => {
      if (!this.#isStopping) this.#timer = setTimeout(() => this.#run(), RESTART_MS);
    });
  }

  get pid() {
    return this.#child.pid;
  }

  /** Sends a signal. */
  signal(signal) {
    this.#child.kill(signal);
  }

  /** Sends SIGTERM, and waits until it has ended. It is not started again. */
  async stop() {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await ended;
  }
}

/**
 * Keeps a program of Node.js running. Its output is appended to `log`.
 *
 * @param {readonly string[]} args
 * @param {{ env: Record<string, string | undefined>, log: string }} options
 */
export function keepNode(args, { env, log }) {
  return new KeptProgram(() => {
    const output = fs.openSync(log, "a");
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", output, output] });
    fs.closeSync(output);
    return child;
  });
}
