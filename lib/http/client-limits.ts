import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import { config } from "@/lib/config";
import { RateLimitedError } from "./errors";

/** Requests of one client in one second, and wrong secrets in one minute. Each process counts for itself (DECISIONS.md). */
let requests: RateLimiterMemory | undefined;
let wrongSecrets: RateLimiterMemory | undefined;

/** Counts a request of a client; over the limit of the settings it is refused with Retry-After. */
export async function countRequest(clientId: number): Promise<void> {
  requests ??= new RateLimiterMemory({ points: config().RATE_LIMIT_PER_SECOND, duration: 1 });
  await consume(requests, String(clientId));
}

/** Refuses further tries where too many wrong secrets were sent for this client id from this address. */
export async function requireSecretTries(key: string): Promise<void> {
  const tries = await secretTries().get(key);
  if (tries && tries.remainingPoints <= 0) throw new RateLimitedError(seconds(tries));
}

/** Counts one wrong secret. */
export async function countWrongSecret(key: string): Promise<void> {
  await secretTries().consume(key).catch(ignoreExhaustion);
}

function secretTries(): RateLimiterMemory {
  wrongSecrets ??= new RateLimiterMemory({ points: config().WRONG_SECRET_LIMIT, duration: 60 });
  return wrongSecrets;
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (rejection) {
    if (rejection instanceof Error) throw rejection;
    throw new RateLimitedError(seconds(rejection as RateLimiterRes));
  }
}

function ignoreExhaustion(rejection: unknown): void {
  if (rejection instanceof Error) throw rejection;
}

function seconds(result: RateLimiterRes): number {
  return Math.max(1, Math.ceil(result.msBeforeNext / 1000));
}
