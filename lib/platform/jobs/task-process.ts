import type { ChildProcess } from "node:child_process";
import os from "node:os";
import { OverloadedError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";

/** A program that does tasks one at a time: it answers each message that it gets over its IPC channel with one. */
export interface TaskProgram<Task, Answer> {
  /** What the log calls it: `image decoder`. */
  name: string;
  /** Where it is, and what Node needs to run it. */
  find: () => { file: string; nodeOptions: readonly string[] };
  /** A task that takes longer ends the process. */
  limitMs: number;
  /** What the client hears of a task that took longer. */
  slow: { message: string; reason: string };
  /** What the log says of a task. */
  describe: (task: Task) => Record<string, unknown>;
  /** The answer where the task itself brings the process down; without it the client may try again. */
  onCrash?: (cause: string) => Answer;
}

const RETRY_SLOW_SECONDS = 10;
/** Below the requests, which only wait for the database: on a busy machine tasks get what is left. */
const NICENESS = 5;

/** A process that does tasks one at a time. It keeps this process alive only while it works. */
export class TaskProcess<Task, Answer> {
  readonly #program: TaskProgram<Task, Answer>;
  readonly #child: ChildProcess;
  #ended = false;

  constructor(program: TaskProgram<Task, Answer>) {
    this.#program = program;
    const { file, nodeOptions } = program.find();
    // Asked for in a way that bundlers do not look into: they would try to resolve the program's path.
    const { fork } = process.getBuiltinModule("node:child_process");
    // Without the environment it has neither the key nor the database's password.
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

  /** Whether it can do no more. */
  get ended(): boolean {
    return this.#ended || !this.#child.connected;
  }

  /**
   * Does one task; the one before has to be done.
   *
   * @throws OverloadedError where the process could not be started or reached, or the task took too long
   */
  async do(task: Task): Promise<Answer> {
    this.#holdProcess(true);
    try {
      return await this.#ask(task);
    } finally {
      this.#holdProcess(false);
    }
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #ask(task: Task): Promise<Answer> {
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
      const onMessage = (answer: unknown) => settle(() => resolve(answer as Answer));
      const onError = (error: Error) => settle(() => reject(new OverloadedError(error)));
      const onExit = (code: number | null, signal: string | null) => {
        log.warn({ code, signal, ...describe(task) }, `the ${name} ended during a task`);
        const cause = `the ${name} ended with ${signal ?? code}`;
        if (onCrash && signal && CRASHES.has(signal)) settle(() => resolve(onCrash(cause)));
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
      // At once: the threads it starts from now on are as low.
      if (this.#child.pid) os.setPriority(this.#child.pid, NICENESS);
    } catch (err) {
      log.debug({ err }, `the ${this.#program.name} keeps its priority`);
    }
  }
}

/** How a process ends that its task has brought down. Any other end is not the task's fault: the caller may try again. */
const CRASHES = new Set(["SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP"]);
