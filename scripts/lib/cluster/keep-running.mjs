// Keeps programs running as a supervisor does: each that ends is started again after a second.
import { spawn } from "node:child_process";
import fs from "node:fs";

const RESTART_MS = 1_000;

export class KeptProgram {
  #start;
  #args;
  #child;
  #timer;
  #isStopping = false;

  /**
   * @param {(args: readonly string[]) => import("node:child_process").ChildProcess} start
   * @param {readonly string[]} [args]
   */
  constructor(start, args = []) {
    this.#start = start;
    this.#args = args;
    this.#run();
  }

  #run() {
    this.#child = this.#start(this.#args);
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

  /** Sends SIGTERM, and starts the program with other arguments after its end. */
  restartWith(args) {
    this.#args = args;
    this.signal("SIGTERM");
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
  const start = (given) => {
    const output = fs.openSync(log, "a");
    const child = spawn(process.execPath, given, { env, stdio: ["ignore", output, output] });
    fs.closeSync(output);
    return child;
  };
  return new KeptProgram(start, args);
}
