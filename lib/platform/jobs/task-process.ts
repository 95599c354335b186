import type { ChildProcess } from "node:child_process";
import os from "node:os";
import { OverloadedError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";

/** A program that runs one task at a time. It replies to each message on its IPC channel with one message. */
export interface TaskProgram<Task, Result> {
  /** Its name in the log, such as `image decoder`. */
  name: string;
  /** Returns its file and the Node options to run it with. */
  find: () => { file: string; nodeOptions: readonly string[] };
  /** Kills the process if a task takes longer. */
  limitMs: number;
  /** The error for a task that took longer. */
  slow: { message: string; reason: string };
  /** Returns the log fields of a task. */
  describe: (task: Task) => Record<string, unknown>;
  /** Returns the result if the task crashes the process. Without it, the client can retry. */
  onCrash?: (cause: string) => Result;
}

const RETRY_SLOW_SECONDS = 10;
/** Lower priority than the server, so that tasks don't slow down requests on a busy machine. */
const NICENESS = 5;

/** A process that runs one task at a time. It keeps the parent process alive only while a task runs. */
export class TaskProcess<Task, Result> {
  readonly #program: TaskProgram<Task, Result>;
  readonly #child: ChildProcess;
  #ended = false;

  constructor(program: TaskProgram<Task, Result>) {
    this.#program = program;
    const { file, nodeOptions } = program.find();
    // Bundlers would try to resolve the program's path if they saw `fork`.
    const { fork } = process.getBuiltinModule("node:child_process");
    // Without the environment, it can see neither the secret key nor the database password.
    const env: NodeJS.ProcessEnv = { NODE_ENV: "production" };
    const options = { env, execArgv: [...nodeOptions], serialization: "advanced" as const };
    this.#child = fork(file, [], { ...options, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#child.on("error", (err) => {
      this.#ended = true;
      log.error({ err }, `the ${program.name} could not be started or reached`);
    });
    this.#child.once("exit", () => {
      this.#ended = true;
    });
    this.#lowerPriority();
    this.#holdProcess(false);
  }

  /** Returns whether it can't run any more tasks. */
  get ended(): boolean {
    return this.#ended || !this.#child.connected;
  }

  /**
   * Runs a task. The previous one must be finished.
   *
   * @param requestId the request that waits for it, for the log
   * @throws OverloadedError if the process could not be started or reached, or the task took too long
   */
  async run(task: Task, requestId?: string): Promise<Result> {
    this.#holdProcess(true);
    try {
      return await this.#ask(task, requestId);
    } finally {
      this.#holdProcess(false);
    }
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #ask(task: Task, request?: string): Promise<Result> {
    const child = this.#child;
    const { name, limitMs, slow, describe, onCrash } = this.#program;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        child.kill("SIGKILL");
        this.#ended = true;
        const cause = new Error(`the ${name} took more than ${limitMs} ms over a task`);
        const options = { reason: slow.reason, retryAfterSeconds: RETRY_SLOW_SECONDS };
        settle(() => reject(new OverloadedError(cause, slow.message, options)));
      }, limitMs);
      const onMessage = (result: unknown) => settle(() => resolve(result as Result));
      const onError = (error: Error) => settle(() => reject(new OverloadedError(error)));
      const onExit = (code: number | null, signal: string | null) => {
        log.warn({ request, code, signal, ...describe(task) }, `the ${name} ended during a task`);
        const cause = `the ${name} ended with ${signal ?? code}`;
        if (onCrash && signal && CRASH_SIGNALS.has(signal)) settle(() => resolve(onCrash(cause)));
        else onError(new Error(cause));
      };
      const settle = (finish: () => void) => {
        clearTimeout(limit);
        child.off("message", onMessage).off("error", onError).off("exit", onExit);
        finish();
      };
      child.once("message", onMessage).once("error", onError).once("exit", onExit);
      child.send(task as object, (error) => error && onError(error));
    });
  }

  #holdProcess(isHeld: boolean): void {
    const { channel } = this.#child;
    if (isHeld) {
      this.#child.ref();
      channel?.ref();
    } else {
      this.#child.unref();
      channel?.unref();
    }
  }

  #lowerPriority(): void {
    try {
      // Set it now, because threads inherit it when they start.
      if (this.#child.pid) os.setPriority(this.#child.pid, NICENESS);
    } catch (err) {
      log.debug({ err }, `the ${this.#program.name} keeps its priority`);
    }
  }
}

/** Signals of a process that its task crashed. After any other end, the caller can retry. */
const CRASH_SIGNALS = new Set(["SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP"]);
