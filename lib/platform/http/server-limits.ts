/** Maximum body of a request to Next: forms to sign in and out. API routes have their own limits. */
export const PAGE_BODY_BYTES = 64 * 1024;

/** Slowest pace for sending a body or reading a response, after a grace period. No pause may be longer than that. */
export const SLOWEST = { graceMs: 20_000, bytesPerSecond: 16 * 1024 } as const;

export const TIMEOUTS = {
  /** Until all headers are received. */
  headersTimeout: 20_000,
  /** Until a request is completely received. 16 MiB at the slowest pace take 17 minutes. */
  requestTimeout: 1_200_000,
  /** Longer than the usual minute of load balancers, because the side that sends requests should close the connection. */
  keepAliveTimeout: 65_000,
  /** How often the first two limits are checked. */
  connectionsCheckingInterval: 5_000,
} as const;

/** Closes a connection without any traffic. Longer than any handler takes to respond. */
export const STALLED_MS = 120_000;

/** How long and how much to read on after a response that leaves a body unread, so that the client sees the response. */
export const LINGER = { ms: 1_000, bytes: 1024 * 1024 } as const;
