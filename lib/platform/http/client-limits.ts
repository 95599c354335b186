import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { config } from "@/lib/platform/config";
import { RateLimitedError } from "@/lib/platform/http/errors";
import { processWide } from "@/lib/platform/objects";
import { addressGroup } from "./request";

/** Limits of accounts and addresses are averages over this time, because a page starts with many requests at once. */
const BURST_SECONDS = 10;

/** A limit of requests. */
export interface Limit {
  points: number;
  /** Seconds. */
  duration: number;
}

/** Counts requests by key. */
export interface Limiter {
  /** Rejects with a RateLimiterRes over the limit. */
  consume(key: string): Promise<RateLimiterRes>;
  get(key: string): Promise<RateLimiterRes | null>;
}

type CreateLimiter = (name: string, limit: Limit) => Limiter;

const countInMemory: CreateLimiter = (_name, limit) => new RateLimiterMemory(limit);

/** Returns the limiters of this process (ADR 0012). */
function limiters(create: CreateLimiter = countInMemory): ReturnType<typeof createLimiters> {
  return processWide("crosswalkLimiters", () => createLimiters(create));
}

function createLimiters(create: CreateLimiter) {
  const settings = config();
  return {
    requests: create("requests", { points: settings.RATE_LIMIT_PER_SECOND, duration: 1 }),
    wrongSecrets: create("wrong-secrets", { points: settings.WRONG_SECRET_LIMIT, duration: 60 }),
    webhookTests: create("webhook-tests", { points: settings.WEBHOOK_TEST_LIMIT, duration: 60 }),
    staffCalls: create("staff-calls", burst(settings.STAFF_RATE_LIMIT_PER_SECOND)),
    anonymous: create("anonymous", burst(settings.ADDRESS_RATE_LIMIT_PER_SECOND)),
  };
}

const burst = (perSecond: number): Limit => ({ points: perSecond * BURST_SECONDS, duration: BURST_SECONDS });

/** Makes this process count in Redis if REDIS_URL is set. Call it before the first request. */
export async function openLimits(): Promise<{ close: () => void }> {
  const { REDIS_URL } = config();
  if (REDIS_URL === undefined) return { close: () => {} };
  // Loads the client only if it is used, because it takes 20 MiB.
  const { RedisLimits } = await import("./redis-limits");
  const limits = new RedisLimits(REDIS_URL);
  limiters((name, limit) => limits.limiter(name, limit));
  return limits;
}

/** @throws RateLimitedError if the client has sent more requests than the settings allow */
export async function countRequest(clientId: number): Promise<void> {
  await consume(limiters().requests, String(clientId));
}

/** @throws RateLimitedError if the account has sent more calls than the settings allow, in all its sessions */
export async function countStaffCall(userId: number): Promise<void> {
  await consume(limiters().staffCalls, String(userId));
}

/** @throws RateLimitedError if too many test events were sent for the subscription */
export async function countWebhookTest(subscriptionId: number): Promise<void> {
  await consume(limiters().webhookTests, String(subscriptionId));
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

async function consume(limiter: Limiter, key: string): Promise<void> {
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
