import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import { config } from "@/lib/config";
import { sign } from "@/lib/signing";
import { addressGroup } from "./client-address";
import { RateLimitedError } from "./errors";

/** Requests of one client in one second, and wrong secrets in one minute. Each process counts for itself (DECISIONS.md). */
let requests: RateLimiterMemory | undefined;
let wrongSecrets: RateLimiterMemory | undefined;
let staffCalls: RateLimiterMemory | undefined;
let anonymous: RateLimiterMemory | undefined;

/** Counts a request of a client; over the limit of the settings it is refused with Retry-After. */
export async function countRequest(clientId: number): Promise<void> {
  requests ??= new RateLimiterMemory({ points: config().RATE_LIMIT_PER_SECOND, duration: 1 });
  await consume(requests, String(clientId));
}

/** Over this time the limits of accounts and addresses are an average: a page begins with many requests at once. */
const BURST_SECONDS = 10;

/** Counts a call of a staff account, in whichever of its sessions; over the limit of the settings it is refused. */
export async function countStaffCall(userId: number): Promise<void> {
  staffCalls ??= burstLimiter(config().STAFF_RATE_LIMIT_PER_SECOND);
  await consume(staffCalls, String(userId));
}

/**
 * Counts a request that nobody answers for: a page, a sign-in, a call of a public endpoint or one without valid credentials.
 * Over the limit for its address it is refused. Where the address is not known, under `next dev`, nothing is counted.
 */
export async function countAnonymous(address: string): Promise<void> {
  anonymous ??= burstLimiter(config().ADDRESS_RATE_LIMIT_PER_SECOND);
  if (address !== "") await consume(anonymous, addressGroup(address));
}

function burstLimiter(perSecond: number): RateLimiterMemory {
  return new RateLimiterMemory({ points: perSecond * BURST_SECONDS, duration: BURST_SECONDS });
}

/** Refuses further tries where too many wrong secrets were sent for this client id from this address. */
export async function requireSecretTries(tried: SecretTry): Promise<void> {
  const tries = await secretTries().get(keyOf(tried));
  if (tries && tries.remainingPoints <= 0) throw new RateLimitedError(seconds(tries));
}

/** Counts one wrong secret. */
export async function countWrongSecret(tried: SecretTry): Promise<void> {
  await secretTries().consume(keyOf(tried)).catch(ignoreExhaustion);
}

/** Whose tries are counted: one client id, from one address. */
interface SecretTry {
  clientId: string;
  address: string;
}

/** A hash of 43 characters, however long a client id somebody sent: keys stay in memory for a minute. */
function keyOf({ clientId, address }: SecretTry): string {
  return sign("wrong-secret", `${clientId} ${address}`);
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
