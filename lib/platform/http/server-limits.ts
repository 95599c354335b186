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
