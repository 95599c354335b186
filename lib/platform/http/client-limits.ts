import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import { config } from "@/lib/platform/config";
import { addressGroup } from "@/lib/platform/http/client-address";
import { RateLimitedError } from "@/lib/platform/http/errors";
import { processWide } from "@/lib/platform/process-wide";
import { sign } from "@/lib/platform/signing";

/** Over this time the limits of accounts and addresses are an average: a page begins with many requests at once. */
const BURST_SECONDS = 10;

type Limiters = ReturnType<typeof makeLimiters>;
/**
 * What is counted by client, by client and address, by account, and by address. Each process counts for itself
 * (ADR 0012); the API's bundle and Next's, which each have their own copy of this module, count together.
 */
function limiters(): Limiters {
  return processWide("crosswalkLimiters", makeLimiters);
}

function makeLimiters() {
  const settings = config();
  return {
    requests: new RateLimiterMemory({ points: settings.RATE_LIMIT_PER_SECOND, duration: 1 }),
    wrongSecrets: new RateLimiterMemory({ points: settings.WRONG_SECRET_LIMIT, duration: 60 }),
    staffCalls: burstLimiter(settings.STAFF_RATE_LIMIT_PER_SECOND),
    anonymous: burstLimiter(settings.ADDRESS_RATE_LIMIT_PER_SECOND),
  };
}

/** Counts a request of a client; over the limit of the settings it is refused with Retry-After. */
export async function countRequest(clientId: number): Promise<void> {
  await consume(limiters().requests, String(clientId));
}

/** Counts a call of a staff account, in whichever of its sessions; over the limit of the settings it is refused. */
export async function countStaffCall(userId: number): Promise<void> {
  await consume(limiters().staffCalls, String(userId));
}

/**
 * Counts a request that nobody answers for: a page, a sign-in, a call of a public endpoint or one without valid credentials.
 * Over the limit for its address it is refused. Where the address is not known, under `next dev`, nothing is counted.
 */
export async function countAnonymous(address: string): Promise<void> {
  if (address !== "") await consume(limiters().anonymous, addressGroup(address));
}

function burstLimiter(perSecond: number): RateLimiterMemory {
  return new RateLimiterMemory({ points: perSecond * BURST_SECONDS, duration: BURST_SECONDS });
}

/** Refuses further tries where too many wrong secrets were sent for this client id from this address. */
export async function requireSecretTries(tried: SecretTry): Promise<void> {
  const tries = await limiters().wrongSecrets.get(keyOf(tried));
  if (tries && tries.remainingPoints <= 0) throw new RateLimitedError(seconds(tries));
}

/** Counts one wrong secret. */
export async function countWrongSecret(tried: SecretTry): Promise<void> {
  await limiters().wrongSecrets.consume(keyOf(tried)).catch(ignoreExhaustion);
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
