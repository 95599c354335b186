import type pg from "pg";
import { RateLimiterPostgres, type RateLimiterRes } from "rate-limiter-flexible";
import { config } from "@/lib/config";
import { pool } from "@/lib/db/pool";
import { addressGroup } from "@/lib/http/client-address";
import { sign } from "@/lib/signing";

/** One try of a password, by what is known of whoever makes it. */
export interface PasswordTry {
  /** In lower case. */
  email: string;
  address: string | null;
  /** The id of a browser this account has signed in from; its tries are counted apart. */
  device: string | null;
  /** The account has signed in from this address before. */
  knownAddress: boolean;
}

/** Which limit a try ran into. */
export type Throttle = "device" | "account_and_address" | "address" | "account";
export interface Throttled {
  by: Throttle;
  retryAfterSeconds: number;
}

interface Limit {
  points: number;
  seconds: number;
}

const QUARTER_HOUR = 900;
const HOUR = 3_600;

/** What each limit allows. They count passwords that were checked and wrong. */
function limitOf(throttle: Throttle): Limit {
  const { WRONG_PASSWORD_LIMIT, WRONG_PASSWORD_ADDRESS_LIMIT, WRONG_PASSWORD_ACCOUNT_LIMIT } = config();
  if (throttle === "address") return { points: WRONG_PASSWORD_ADDRESS_LIMIT, seconds: QUARTER_HOUR };
  if (throttle === "account") return { points: WRONG_PASSWORD_ACCOUNT_LIMIT, seconds: HOUR };
  return { points: WRONG_PASSWORD_LIMIT, seconds: QUARTER_HOUR };
}

/**
 * Counts one try of a password before it is checked, so that a thousand at once are a thousand. The counts are in the
 * database: all processes share them, and a restart forgets nothing.
 *
 * @returns the limit that forbids checking it, or null; then `forgetTries` or `takeBack` undoes the count where it should not stay
 */
export async function countTry(tried: PasswordTry): Promise<Throttled | null> {
  const counted: Counter[] = [];
  for (const counter of countersOf(tried)) {
    const retryAfterSeconds = await consume(counter);
    if (retryAfterSeconds !== null) {
      // Nothing is checked: what the other limits count was not a guess.
      await giveBack(counted);
      return { by: counter.throttle, retryAfterSeconds };
    }
    counted.push(counter);
  }
  return null;
}

/** Undoes the count of a try whose password could not be checked. */
export async function takeBack(tried: PasswordTry): Promise<void> {
  await giveBack(countersOf(tried));
}

/**
 * Forgets this person's tries before the right one. Those of the whole address and of the account over all addresses may be
 * somebody else's: of them only the right one is taken back.
 */
export async function forgetTries(tried: PasswordTry): Promise<void> {
  const counters = countersOf(tried);
  const isOwn = ({ throttle }: Counter) => throttle === "device" || throttle === "account_and_address";
  await Promise.all(counters.filter(isOwn).map(({ throttle, key }) => limiter(throttle).delete(key)));
  await giveBack(counters.filter((counter) => !isOwn(counter)));
}

interface Counter {
  throttle: Throttle;
  key: string;
}

/**
 * What a try counts against. A known browser has a count of its own and no other, so that nobody else can use it up. From an
 * address the account has used before, its count over all addresses does not matter: an attack from elsewhere fills that.
 */
function countersOf({ email, address, device, knownAddress }: PasswordTry): Counter[] {
  const counter = (throttle: Throttle, what: string) => ({ throttle, key: keyOf(throttle, what) });
  if (device !== null) return [counter("device", `${email} ${device}`)];
  const group = address === null ? null : addressGroup(address);
  return [
    counter("account_and_address", `${email} ${group ?? ""}`),
    ...(group === null ? [] : [counter("address", group)]),
    ...(knownAddress ? [] : [counter("account", email)]),
  ];
}

/** Neither what somebody typed nor where they sit is kept. */
function keyOf(throttle: Throttle, what: string): string {
  return sign("wrong-password", `${throttle} ${what}`);
}

/** @returns how long to wait where the limit was reached before, or null where the try was counted */
async function consume({ throttle, key }: Counter): Promise<number | null> {
  try {
    await limiter(throttle).consume(key);
    return null;
  } catch (rejection) {
    if (rejection instanceof Error) throw rejection;
    return Math.max(1, Math.ceil((rejection as RateLimiterRes).msBeforeNext / 1000));
  }
}

async function giveBack(counters: readonly Counter[]): Promise<void> {
  await Promise.all(counters.map(({ throttle, key }) => limiter(throttle).reward(key)));
}

const limiters = new Map<Throttle, RateLimiterPostgres>();

function limiter(throttle: Throttle): RateLimiterPostgres {
  const known = limiters.get(throttle);
  if (known) return known;
  const { points, seconds } = limitOf(throttle);
  const made = new RateLimiterPostgres({
    // Asked each time: the pool may have been closed and opened anew.
    storeClient: { query: (...statement: Parameters<pg.Pool["query"]>) => pool().query(...statement) },
    storeType: "pool",
    tableName: "wrong_password",
    tableCreated: true,
    keyPrefix: "",
    points,
    duration: seconds,
  });
  limiters.set(throttle, made);
  return made;
}
