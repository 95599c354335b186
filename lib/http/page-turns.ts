import { setImmediate } from "node:timers/promises";

/** Longest wait of a page for the calls under way, for each page in line and in all. */
const [EACH_MS, MOST_MS] = [2, 50];

/**
 * Whose turn it is. Rendering a page takes many times what a call of the API takes, so a burst of pages or sign-ins would
 * hold up all calls. Pages start one after the other, at most one per turn of the event loop, and wait for the calls under
 * way: the more pages are in line, the longer.
 */
export class PageTurns {
  #calls = 0;
  #inLine = 0;
  #last: Promise<void> = Promise.resolve();
  #goOn: (() => void) | null = null;

  /** Does the work of a call. */
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
