import { setImmediate } from "node:timers/promises";

/** How long a page waits for calls in progress, for each queued page. */
const WAIT_PER_PAGE_MS = 2;
const MAX_WAIT_MS = 50;

/**
 * Gives API calls priority over pages. Rendering a page takes many times as long as an API call, so a burst of pages or sign-ins would
 * delay all calls. At most one page starts per turn of the event loop, after the calls in progress. The more pages are queued, the longer
 * each waits.
 */
export class PageTurns {
  #calls = 0;
  #queued = 0;
  #last: Promise<void> = Promise.resolve();
  #onCallsDone: (() => void) | null = null;

  /** Runs an API call. */
  async call<T>(work: () => Promise<T>): Promise<T> {
    this.#calls++;
    try {
      return await work();
    } finally {
      this.#calls--;
      if (this.#calls === 0) this.#onCallsDone?.();
    }
  }

  /** Resolves when the page may start. */
  page(): Promise<void> {
    this.#queued++;
    this.#last = this.#last.then(() => this.#next());
    return this.#last;
  }

  async #next(): Promise<void> {
    await setImmediate();
    if (this.#calls > 0) await this.#callsDone(Math.min(MAX_WAIT_MS, WAIT_PER_PAGE_MS * this.#queued));
    this.#queued--;
  }

  #callsDone(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#onCallsDone = null;
        resolve();
      };
      const timer = setTimeout(done, limitMs);
      this.#onCallsDone = done;
    });
  }
}
