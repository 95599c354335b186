/** Work that goes on beside the requests of a process. */
export interface Background {
  /** Takes nothing new and waits for what is in hand. */
  stop(): Promise<void>;
}

/** A pause that can be cut short, also by a ring from before it began. */
export class WakeableTimer {
  #rung = false;
  #wake = () => {};

  wake(): void {
    this.#rung = true;
    this.#wake();
  }

  async sleep(ms: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#rung = false;
  }
}
