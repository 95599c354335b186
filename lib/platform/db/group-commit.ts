import { setTimeout } from "node:timers/promises";
import { OverloadedError } from "@/lib/platform/errors";

/** Maximum items in memory. Callers beyond that can retry. */
const MAX_WAITING = 10_000;

/**
 * Writes items of many callers in batches: while one batch is being written, the next one collects. Under load, one commit serves many
 * callers, and a single caller never waits for others. Items that are added in the same turn of the event loop share a batch.
 */
export class GroupCommit<T> {
  readonly #write: (items: T[]) => Promise<void>;
  readonly #batchSize: number;
  readonly #intervalMs: number;
  #waiting: { item: T; resolve: () => void; reject: (error: unknown) => void }[] = [];
  #running = false;

  /**
   * @param write stores all items, or none if it throws
   * @param options.batchSize maximum items in a batch
   * @param options.intervalMs shortest time between the starts of two batches, if the first has several items
   */
  constructor(write: (items: T[]) => Promise<void>, { batchSize = 500, intervalMs = 0 } = {}) {
    this.#write = write;
    this.#batchSize = batchSize;
    this.#intervalMs = intervalMs;
  }

  /** Resolves when the item is stored. Rejects with the error of `write`, or with OverloadedError if too many items are waiting. */
  async add(item: T): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) throw new OverloadedError("too many writes are waiting");
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const next = performance.now() + this.#intervalMs;
      const batch = this.#waiting.splice(0, this.#batchSize);
      try {
        await this.#write(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      const restMs = next - performance.now();
      if (batch.length > 1 && restMs > 0) await setTimeout(restMs);
    }
    this.#running = false;
  }
}
