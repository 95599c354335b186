/** Largest body of a request that goes to Next: forms to sign in and out. Routes of ours read theirs by limits of their own. */
export const PAGE_BODY_BYTES = 64 * 1024;

/** How slowly a client may send a body or read an answer: after the grace, this many bytes a second; no pause may be longer. */
export const SLOWEST = { graceMs: 20_000, bytesPerSecond: 16 * 1024 } as const;

export const TIMEOUTS = {
  /** For all headers. */
  headersTimeout: 20_000,
  /** For a whole request. 16 MiB at the slowest rate take 17 minutes; `SLOWEST` ends what is slower much earlier. */
  requestTimeout: 1_200_000,
  /** Longer than the usual minute of load balancers: the side that sends requests should be the one to close. */
  keepAliveTimeout: 65_000,
  /** How often the first two are looked at. */
  connectionsCheckingInterval: 5_000,
} as const;

/** A connection on which nothing moves either way for so long is closed. Longer than any handler takes to answer. */
export const STALLED_MS = 120_000;

/** After an answer that leaves a body unread: how long and how much is still read, for the client to see the answer. */
export const LINGER = { ms: 1_000, bytes: 1024 * 1024 } as const;

/**
 * Whether a client keeps pace: all the time spent waiting for it may not exceed the grace and the time its bytes take at the
 * slowest rate. Time that our own side takes does not count.
 */
export class Pace {
  #waitedMs = 0;
  #bytes = 0;
  #since = 0;

  /** Begins to wait for the client; gives how long it may take at most. */
  wait(): number {
    this.#since = performance.now();
    const { graceMs, bytesPerSecond } = SLOWEST;
    const left = graceMs + (this.#bytes / bytesPerSecond) * 1000 - this.#waitedMs;
    // Of an answer, megabytes are gone into the buffers of the system at once: they are no reason to wait for minutes.
    return Math.max(0, Math.min(left, graceMs));
  }

  /** The client sent or took these bytes. */
  moved(bytes: number): void {
    this.#waitedMs += performance.now() - this.#since;
    this.#bytes += bytes;
  }
}
