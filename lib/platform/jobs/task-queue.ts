import { DomainError, OverloadedError } from "@/lib/platform/errors";
import { TaskProcess, type TaskProgram } from "./task-process";

/** The client that waits for a task. Callers take turns, regardless of how many tasks each has. */
export interface Requester {
  caller: string;
  /** For the log. */
  requestId?: string;
  /** Aborts when the client disconnects. */
  signal: () => AbortSignal;
}

/** The maximum number of waiting tasks, in total and per caller. */
const MAX_WAITING = 64;
const MAX_WAITING_PER_CALLER = 32;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const WAIT_LIMIT_MS = 20_000;
const IDLE_MS = 15_000;
const RETRY_SECONDS = 3;

export interface QueueOptions<Task, Result> {
  program: TaskProgram<Task, Result>;
  /** Number of processes. */
  concurrency: () => number;
  /** Estimates the memory of a waiting task in bytes. */
  sizeOf: (task: Task) => number;
  /** The error if the queue is full. */
  busy: { message: string; reason: string };
}

interface Job<Task, Result> {
  task: Task;
  size: number;
  /** null for internal tasks, which wait without a time limit. */
  requester: Requester | null;
  start: (process: TaskProcess<Task, Result>) => void;
}

/**
 * Runs expensive tasks in a few separate processes. In this process, they would block the event loop, use up memory, or occupy libuv's threads,
 * which password hashes, files and name lookups need.
 */
export class TaskQueue<Task, Result> {
  readonly #options: QueueOptions<Task, Result>;
  /** Waiting tasks by caller, in the order of their turns. */
  readonly #waiting = new Map<string, Job<Task, Result>[]>();
  readonly #idle: TaskProcess<Task, Result>[] = [];
  #running = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: QueueOptions<Task, Result>) {
    this.#options = options;
  }

  /** Returns the number of running and waiting tasks. */
  get pending(): number {
    return this.#running + [...this.#waiting.values()].flat().length;
  }

  /**
   * Runs a task when its turn comes.
   *
   * @throws OverloadedError if too many tasks are waiting, its turn did not come in time, or the process failed
   * @throws DomainError client_left if the client disconnected before its turn
   */
  async run(task: Task, requester: Requester | null): Promise<Result> {
    const process = await this.#turn(task, requester);
    try {
      return await process.run(task, requester?.requestId);
    } finally {
      this.#release(process);
    }
  }

  #turn(task: Task, requester: Requester | null): Promise<TaskProcess<Task, Result>> {
    if (this.#running < this.#options.concurrency()) return Promise.resolve(this.#take());
    const size = requester ? this.#options.sizeOf(task) : 0;
    if (requester) this.#requireCapacity(size, requester);
    return new Promise((resolve, reject) => {
      const signal = requester?.signal();
      const leave = (error: DomainError) => {
        this.#remove(job);
        settle();
        reject(error);
      };
      const onAbort = () => leave(clientLeft());
      const limit = requester ? setTimeout(() => leave(this.#tooBusy()), WAIT_LIMIT_MS) : undefined;
      const settle = () => {
        clearTimeout(limit);
        signal?.removeEventListener("abort", onAbort);
      };
      const start = (process: TaskProcess<Task, Result>) => {
        settle();
        resolve(process);
      };
      const job: Job<Task, Result> = { task, size, requester, start };
      if (signal?.aborted) return reject(clientLeft());
      signal?.addEventListener("abort", onAbort);
      const key = callerKey(job);
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), job]);
    });
  }

  #requireCapacity(size: number, { caller }: Requester): void {
    const waiting = [...this.#waiting.values()].flat().filter(({ requester }) => requester !== null);
    const waitingBytes = waiting.reduce((sum, job) => sum + job.size, size);
    const own = waiting.filter(({ requester }) => requester?.caller === caller).length;
    if (waiting.length >= MAX_WAITING || own >= MAX_WAITING_PER_CALLER || waitingBytes > MAX_WAITING_BYTES)
      throw this.#tooBusy();
  }

  #tooBusy(): OverloadedError {
    const { message, reason } = this.#options.busy;
    return new OverloadedError(undefined, message, { reason, retryAfterSeconds: RETRY_SECONDS });
  }

  #take(): TaskProcess<Task, Result> {
    this.#running += 1;
    clearTimeout(this.#idleTimer);
    const idle = this.#idle.pop();
    return idle && !idle.ended ? idle : new TaskProcess(this.#options.program);
  }

  #release(process: TaskProcess<Task, Result>): void {
    this.#running -= 1;
    if (!process.ended) this.#idle.push(process);
    const next = this.#next();
    if (next) next.start(this.#take());
    else this.#endIdleLater();
  }

  /** Takes the first task of the caller whose turn it is. The caller then moves behind the others. */
  #next(): Job<Task, Result> | null {
    const [turn] = this.#waiting;
    if (!turn) return null;
    const [key, [job, ...rest]] = turn as [string, [Job<Task, Result>, ...Job<Task, Result>[]]];
    this.#waiting.delete(key);
    if (rest.length > 0) this.#waiting.set(key, rest);
    return job;
  }

  #remove(job: Job<Task, Result>): void {
    const key = callerKey(job);
    const left = (this.#waiting.get(key) ?? []).filter((other) => other !== job);
    if (left.length > 0) this.#waiting.set(key, left);
    else this.#waiting.delete(key);
  }

  /** Stops idle processes after a while, because each keeps the memory of its largest task. */
  #endIdleLater(): void {
    if (this.#running > 0) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      for (const process of this.#idle.splice(0)) process.stop();
    }, IDLE_MS).unref();
  }
}

const callerKey = ({ requester }: { requester: Requester | null }) => requester?.caller ?? "";

const clientLeft = () => new DomainError("client_left", "The client disconnected before its turn.");
