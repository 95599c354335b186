import { createClient } from "@redis/client";
import { RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import { log } from "@/lib/platform/log";
import { within } from "@/lib/platform/within";
import type { Limit, Limiter } from "./client-limits";

/** How long a request waits for Redis. Within a data center, it responds in a millisecond. */
const LIMIT_MS = 100;

/** Rate limits that servers share in Redis. */
export class RedisLimits {
  readonly #redis: ReturnType<typeof connect>;

  /** Connects in the background. */
  constructor(url: string) {
    this.#redis = connect(url);
  }

  /** Returns a limiter that counts in memory while Redis does not respond. */
  limiter(name: string, limit: Limit): Limiter {
    const memory = new RateLimiterMemory(limit);
    const shared = new RateLimiterRedis({
      ...limit,
      storeClient: this.#redis,
      useRedisPackage: true,
      keyPrefix: `crosswalk:${name}`,
      // Saves the round trip for requests over the limit.
      inMemoryBlockOnConsumed: limit.points,
      rejectIfRedisNotReady: true,
      insuranceLimiter: memory,
    });
    const inTime = async <T>(ask: (limiter: Limiter) => Promise<T>): Promise<T> => {
      const asked = ask(shared).then((value) => ({ value }));
      // If this process was busy, the response may have arrived but not been read.
      const answer = (await within(asked, LIMIT_MS)) ?? (await within(asked, 1));
      return answer ? answer.value : ask(memory);
    };
    return { consume: (key) => inTime((one) => one.consume(key)), get: (key) => inTime((one) => one.get(key)) };
  }

  close(): void {
    this.#redis.destroy();
  }
}

/** Connects, and reconnects whenever the connection is lost. */
function connect(url: string) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    // Pings detect a connection that has died silently.
    pingInterval: 1_000,
    socket: { connectTimeout: 2_000, socketTimeout: 5_000, reconnectStrategy: (tries) => Math.min(tries * 100, 2_000) },
  });
  let isLost = false;
  client.on("error", (err: unknown) => {
    if (!isLost) log.warn({ err }, "Redis does not respond; each server counts requests separately until it does");
    isLost = true;
  });
  client.on("ready", () => {
    if (isLost) log.info("Redis responds again");
    isLost = false;
  });
  client.connect().catch((err: unknown) => log.error({ err }, "could not connect to Redis"));
  return client;
}
