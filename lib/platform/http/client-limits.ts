import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { config } from "@/lib/platform/config";
import { RateLimitedError } from "@/lib/platform/http/errors";
import { processWide } from "@/lib/platform/objects";
import { addressGroup } from "./request";

/** Limits of accounts and addresses are averages over this time, because a page starts with many requests at once. */
const BURST_SECONDS = 10;

/** Returns the limiters of this process. Each process counts for itself (ADR 0012). */
function limiters(): ReturnType<typeof createLimiters> {
  return processWide("crosswalkLimiters", createLimiters);
}

function createLimiters() {
  const settings = config();
  return {
    requests: new RateLimiterMemory({ points: settings.RATE_LIMIT_PER_SECOND, duration: 1 }),
    wrongSecrets: new RateLimiterMemory({ points: settings.WRONG_SECRET_LIMIT, duration: 60 }),
    staffCalls: burstLimiter(settings.STAFF_RATE_LIMIT_PER_SECOND),
    anonymous: burstLimiter(settings.ADDRESS_RATE_LIMIT_PER_SECOND),
  };
}

/** @throws RateLimitedError if the client has sent more requests than the settings allow */
export async function countRequest(clientId: number): Promise<void> {
  await consume(limiters().requests, String(clientId));
}

/** @throws RateLimitedError if the account has sent more calls than the settings allow, in all its sessions */
export async function countStaffCall(userId: number): Promise<void> {
  await consume(limiters().staffCalls, String(userId));
}

/**
 * Counts an anonymous request: a page, a sign-in, or a call that is public or has no valid credentials. If the address is unknown, as
 * under `next dev`, nothing is counted.
 *
 * @throws RateLimitedError over the limit for its address
 */
export async function countAnonymous(address: string): Promise<void> {
  if (address !== "") await consume(limiters().anonymous, addressGroup(address));
}

function burstLimiter(perSecond: number): RateLimiterMemory {
  return new RateLimiterMemory({ points: perSecond * BURST_SECONDS, duration: BURST_SECONDS });
}

/** @throws RateLimitedError if too many wrong secrets were sent for this client ID from this address */
export async function requireSecretAttempts(attempt: SecretAttempt): Promise<void> {
  const tries = await limiters().wrongSecrets.get(attemptKey(attempt));
  if (tries && tries.remainingPoints <= 0) throw new RateLimitedError(seconds(tries));
}

/** Counts one wrong secret. */
export async function countWrongSecret(attempt: SecretAttempt): Promise<void> {
  await limiters().wrongSecrets.consume(attemptKey(attempt)).catch(ignoreExhaustion);
}

/** An attempt to authenticate, counted by client ID and address. */
interface SecretAttempt {
  clientId: string;
  address: string;
}

/** Joins both, whose lengths are limited. An address contains no newline. */
function attemptKey({ clientId, address }: SecretAttempt): string {
  return `${address}\n${clientId}`;
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (rejection) {
    throw rejection instanceof RateLimiterRes ? new RateLimitedError(seconds(rejection)) : rejection;
  }
}

function ignoreExhaustion(rejection: unknown): void {
  if (rejection instanceof Error) throw rejection;
}

function seconds(result: RateLimiterRes): number {
  return Math.max(1, Math.ceil(result.msBeforeNext / 1000));
}
