import { SLOWEST } from "./server-limits";

/**
 * Measures whether a client keeps pace: all the time spent waiting for it must not exceed the grace period plus the time its bytes
 * take at the slowest rate. Time that the server itself takes does not count.
 */
export class Pace {
  #waitedMs = 0;
  #bytes = 0;
  #since = 0;

  /** Starts to wait for the client. Returns how long to wait at most, in milliseconds. */
  wait(): number {
    this.#since = performance.now();
    const { graceMs, bytesPerSecond } = SLOWEST;
    const left = graceMs + (this.#bytes / bytesPerSecond) * 1000 - this.#waitedMs;
    // The system buffers megabytes of a response at once. They are no reason to wait for minutes.
    return Math.max(0, Math.min(left, graceMs));
  }

  /** Records that the client sent or took these bytes. */
  moved(bytes: number): void {
    this.#waitedMs += performance.now() - this.#since;
    this.#bytes += bytes;
  }
}
