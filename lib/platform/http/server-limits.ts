import type http from "node:http";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { addressGroup } from "./request";

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
    // The system buffers megabytes of a response at once. Don't wait minutes for them.
    return Math.max(0, Math.min(left, graceMs));
  }

  /** Records that the client sent or took these bytes. */
  moved(bytes: number): void {
    this.#waitedMs += performance.now() - this.#since;
    this.#bytes += bytes;
  }
}

/** Close idle connections from this share of the limit on, so that clients that hold many can't keep others out. */
const CROWDED_SHARE = 0.9;

/** Limits the connections of a server, in total and for each address. Idle connections are closed first. */
export function limitConnections(
  server: http.Server,
  { total, perAddress }: { total: number; perAddress: number | null },
): void {
  const held = new Map<string, number>();
  let open = 0;
  server.maxConnections = total;
  server.on("connection", (socket: Socket) => {
    open++;
    const address = addressGroup(socket.remoteAddress ?? "");
    const connections = (held.get(address) ?? 0) + 1;
    held.set(address, connections);
    socket.once("close", () => {
      open--;
      const left = (held.get(address) ?? 1) - 1;
      if (left > 0) held.set(address, left);
      else held.delete(address);
    });
    if (perAddress !== null && connections > perAddress) socket.destroy();
    else if (open > total * CROWDED_SHARE) server.closeIdleConnections();
  });
}

/** The result of `bufferBody`. */
export type BufferedBody = "whole" | "too_large" | "too_slow" | "left";

/** Returns whether a request has a body. Any method can have one. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Waits until the whole body is in the request's own buffer, for a handler that has no limits itself. Gives up on a larger body as soon
 * as its declared length or the bytes received exceed the limit.
 */
export function bufferBody(req: IncomingMessage, limits: { bytes: number; ms: number }): Promise<BufferedBody> {
  if (Number(req.headers["content-length"] ?? 0) > limits.bytes) return Promise.resolve("too_large");
  if (!hasBody(req)) return Promise.resolve("whole");
  return new Promise((resolve) => {
    const push = req.push.bind(req);
    let size = 0;
    let held = true;
    const settle = (result: BufferedBody) => {
      clearTimeout(timer);
      req.off("close", left);
      held = false;
      // Restores the prototype's method.
      Reflect.deleteProperty(req, "push");
      resolve(result);
    };
    const left = () => settle("left");
    const timer = setTimeout(() => settle("too_slow"), limits.ms);
    req.on("close", left);
    // The parser pushes what arrives, and stops reading if `push` returns false, which must not happen before the handler reads. A
    // "data" listener would consume the body instead.
    req.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
      if (chunk !== null) size += chunk.length;
      if (chunk === null) settle("whole");
      else if (size > limits.bytes) settle("too_large");
      const wanted = push(chunk, encoding);
      return held || wanted;
    };
  });
}
