import { OverloadedError } from "@/lib/platform/errors";

/** The queue is full or the turn did not come in time. The work was not started and can be retried (503). */
export class QueueFullError extends OverloadedError {
  constructor(retryAfterSeconds: number) {
    super(undefined, "The service is busy; nothing was changed. Try again shortly.", { retryAfterSeconds });
  }
}

interface Limits {
  /** Tasks that run at the same time. */
  concurrency: number;
  /** Tasks that may wait in each of the two lines, urgent and ordinary. */
  waiting: number;
  /** How long a task may wait for its turn. */
  waitMs: number;
  /** Retry-After if the line is full or the turn does not come. */
  retryAfterSeconds: number;
}

/**
 * The state of a queue. It is plain data, so that copies of this module in the bundles of Next and the server can share it while each
 * throws its own class of errors.
 */
export interface QueueState {
  urgent: (() => void)[];
  ordinary: (() => void)[];
  running: number;
  /** Returns the largest number of tasks that have run at the same time. */
  mostRunning: number;
}

export const emptyQueue = (): QueueState => ({ urgent: [], ordinary: [], running: 0, mostRunning: 0 });

/**
 * Runs a few expensive tasks at a time. Urgent tasks have their own line, which is served first, so a flood of ordinary tasks can neither
 * fill it nor delay it by more than the tasks that already run.
 */
export class WorkQueue {
  readonly #limits: Limits;
  readonly #state: QueueState;

  constructor(limits: Limits, state = emptyQueue()) {
    this.#limits = limits;
    this.#state = state;
  }

  /** Returns the largest number of tasks that have run at the same time. */
  get mostRunning(): number {
    return this.#state.mostRunning;
  }

  /** @throws QueueFullError */
  async run<T>(work: () => Promise<T>, { urgent = false }: { urgent?: boolean } = {}): Promise<T> {
    const state = this.#state;
    await this.#turn(urgent ? state.urgent : state.ordinary);
    try {
      return await work();
    } finally {
      state.running--;
      const next = state.urgent.shift() ?? state.ordinary.shift();
      if (next) this.#start(next);
    }
  }

  #turn(line: (() => void)[]): Promise<void> {
    const { concurrency, waiting, waitMs, retryAfterSeconds } = this.#limits;
    return new Promise((resolve, reject) => {
      const rejectFull = () => reject(new QueueFullError(retryAfterSeconds));
      if (this.#state.running < concurrency) return this.#start(resolve);
      if (line.length >= waiting) return rejectFull();
      const timer = setTimeout(() => {
        line.splice(line.indexOf(start), 1);
        rejectFull();
      }, waitMs);
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      line.push(start);
    });
  }

  /** Counts the task as running before its caller continues, so that no other task can start in between. */
  #start(resolve: () => void): void {
    const state = this.#state;
    state.running++;
    state.mostRunning = Math.max(state.mostRunning, state.running);
    resolve();
  }
}
