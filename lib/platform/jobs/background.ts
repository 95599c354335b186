/** A background job of a process. */
export interface Background {
  /** Starts nothing new, and waits for the current work. */
  stop(): Promise<void>;
}

/** A sleep that `wake` ends, even if it was called before the sleep started. */
export class WakeableTimer {
  #isWoken = false;
  #endSleep = () => {};

  wake(): void {
    this.#isWoken = true;
    this.#endSleep();
  }

  async sleep(ms: number): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#endSleep = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isWoken = false;
  }
}
