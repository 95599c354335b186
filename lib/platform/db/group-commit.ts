import { OverloadedError } from "@/lib/platform/errors";

/** In memory, at most; whoever comes later may try again. */
const MOST_WAITING = 10_000;

/**
 * Writes what many callers hand in at about the same time as one batch: while a batch is on its way, the next one gathers.
 * Under load a commit serves all who wait; alone, nobody waits for company.
 */
export class GroupCommit<T> {
  readonly #write: (items: T[]) => Promise<void>;
  readonly #most: number;
  #waiting: { item: T; resolve: () => void; reject: (error: unknown) => void }[] = [];
  #running = false;

  /**
   * @param write stores all of the items or, where it throws, none
   * @param most items in a batch
   */
  constructor(write: (items: T[]) => Promise<void>, most = 500) {
    this.#write = write;
    this.#most = most;
  }

  /** Resolves once the item is stored; rejects with what `write` threw, or OverloadedError where too many wait already. */
  async add(item: T): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) throw new OverloadedError("too many writes wait for their turn");
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#most);
      try {
        await this.#write(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = false;
  }
}
