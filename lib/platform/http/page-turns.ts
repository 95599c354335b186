import { setImmediate } from "node:timers/promises";

/** How long a page waits for calls in progress: per queued page, and at most. */
const [EACH_MS, MOST_MS] = [2, 50];

/**
 * Lets API calls go before pages. Rendering a page takes many times as long as an API call, so a burst of pages or sign-ins
 * would delay all calls. At most one page starts per turn of the event loop, after the calls in progress: the more pages are
 * queued, the longer each waits.
 */
export class PageTurns {
  #calls = 0;
  #inLine = 0;
  #last: Promise<void> = Promise.resolve();
  #goOn: (() => void) | null = null;

  /** Runs an API call. */
  async call<T>(work: () => Promise<T>): Promise<T> {
    this.#calls++;
    try {
      return await work();
    } finally {
      this.#calls--;
      if (this.#calls === 0) this.#goOn?.();
    }
  }

  /** Resolves when the page may start. */
  page(): Promise<void> {
    this.#inLine++;
    this.#last = this.#last.then(() => this.#next());
    return this.#last;
  }

  async #next(): Promise<void> {
    await setImmediate();
    if (this.#calls > 0) await this.#untilCallsEnd(Math.min(MOST_MS, EACH_MS * this.#inLine));
    this.#inLine--;
  }

  #untilCallsEnd(atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const goOn = () => {
        clearTimeout(timer);
        this.#goOn = null;
        resolve();
      };
      const timer = setTimeout(goOn, atMostMs);
      this.#goOn = goOn;
    });
  }
}
