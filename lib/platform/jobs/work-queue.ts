import { OverloadedError } from "@/lib/platform/errors";

/** There is no room in the queue, or no turn in time: the work was not started, and may be tried again (503). */
export class QueueFullError extends OverloadedError {
  constructor(retryAfterSeconds: number) {
    super(undefined, "Too much of this is under way. Nothing was changed; try again shortly.", { retryAfterSeconds });
  }
}

interface Limits {
  /** Pieces of work that run at the same time. */
  atOnce: number;
  /** Pieces of work that may wait in each of the two lines, urgent and ordinary. */
  waiting: number;
  /** How long a piece of work may wait for its turn. */
  waitMs: number;
  /** What a caller is told to wait who finds the line full, or whose turn does not come. */
  retryAfterSeconds: number;
}

/**
 * What a queue knows. It is plain data so that copies of this module can share it through the global object: Next bundles route
 * modules apart from the server, and an error of another copy's class would be nobody's `instanceof`.
 */
export interface QueueState {
  urgent: (() => void)[];
  ordinary: (() => void)[];
  running: number;
  /** The most pieces that ever ran at the same time. */
  mostRunning: number;
}

export const emptyQueue = (): QueueState => ({ urgent: [], ordinary: [], running: 0, mostRunning: 0 });

/**
 * Runs expensive work a few pieces at a time. Urgent work has a line of its own, which is served first: a flood of ordinary
 * work can neither fill it nor delay it by more than the pieces that run already.
 */
export class WorkQueue {
  readonly #limits: Limits;
  readonly #state: QueueState;

  constructor(limits: Limits, state = emptyQueue()) {
    this.#limits = limits;
    this.#state = state;
  }

  /** The most pieces that ever ran at the same time. */
  get mostRunning(): number {
    return this.#state.mostRunning;
  }

  /** @throws QueueFullError, and whatever `work` throws */
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
    const { atOnce, waiting, waitMs, retryAfterSeconds } = this.#limits;
    return new Promise((resolve, reject) => {
      const refuse = () => reject(new QueueFullError(retryAfterSeconds));
      if (this.#state.running < atOnce) return this.#start(resolve);
      if (line.length >= waiting) return refuse();
      const timer = setTimeout(() => {
        line.splice(line.indexOf(begin), 1);
        refuse();
      }, waitMs);
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      line.push(begin);
    });
  }

  /** Counts the work as running from now, before its caller gets to go on: nobody can slip in between. */
  #start(resolve: () => void): void {
    const state = this.#state;
    state.running++;
    state.mostRunning = Math.max(state.mostRunning, state.running);
    resolve();
  }
}
