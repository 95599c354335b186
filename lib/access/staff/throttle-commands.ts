import type pg from "pg";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { config } from "@/lib/platform/config";
import { pool } from "@/lib/platform/db/pool";
import { db, sql } from "@/lib/platform/db/sql";
import { addressGroup } from "@/lib/platform/http/request";
import { processWide } from "@/lib/platform/objects";
import { sign } from "@/lib/platform/signing";

/** An attempt to sign in to one account, with what identifies the caller. */
export interface PasswordTry {
  /** The account's id; null for an e-mail address that no account has. */
  account: number | null;
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

/** An attempt that was counted and is within its limits, so the password may be checked. */
export interface CountedTry extends PasswordTry {
  counters: readonly Counter[];
}

/**
 * Counts a sign-in before its password is checked, so that concurrent attempts cannot pass the limit together. Each account with
 * the e-mail address is counted separately, because accounts of other organizations may belong to other people (ADR 0112).
 * Counts are stored in the database, so all processes share them and they survive a restart.
 *
 * @returns the attempts whose password may be checked, and the limit that blocked the first of the others; `forgetTries` and
 * `takeBack` undo counts
 */
export async function countTries(
  tries: readonly PasswordTry[],
): Promise<{ counted: CountedTry[]; throttled: Throttled | null }> {
  const counted: CountedTry[] = [];
  let throttled: Throttled | null = null;
  for (const tried of tries) {
    const isCounted = counted.some(({ counters }) => counters.some(({ throttle }) => throttle === "address"));
    const counters = countersOf(tried).filter(({ throttle }) => throttle !== "address" || !isCounted);
    const refusal = await countAll(counters);
    if (refusal) throttled ??= refusal;
    else counted.push({ ...tried, counters });
  }
  return { counted, throttled };
}

async function countAll(counters: readonly Counter[]): Promise<Throttled | null> {
  const counted: Counter[] = [];
  for (const counter of counters) {
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

/** Undoes the counts of tries whose password could not be checked. */
export async function takeBack(counted: readonly CountedTry[]): Promise<void> {
  await giveBack(counted.flatMap(({ counters }) => counters));
}

/**
 * Resets the caller's own counts for the accounts that the password matched. Counts of the network address and of an account over
 * all addresses may include other people's attempts, so only this attempt is subtracted from them.
 *
 * @param accounts the accounts that the password matched
 */
export async function forgetTries(counted: readonly CountedTry[], accounts: ReadonlySet<number | null>): Promise<void> {
  const isOwn = ({ throttle }: Counter) => throttle === "device" || throttle === "account_and_address";
  const right = counted.filter(({ account }) => accounts.has(account)).flatMap(({ counters }) => counters);
  const ofAddress = counted.flatMap(({ counters }) => counters).filter(({ throttle }) => throttle === "address");
  await Promise.all(right.filter(isOwn).map(({ throttle, key }) => limiter(throttle).delete(key)));
  await giveBack([...right.filter(({ throttle }) => throttle === "account"), ...ofAddress]);
}

export interface Counter {
  throttle: Throttle;
  key: string;
}

/**
 * What a try counts against. A known browser has a count of its own and no other, so that nobody else can use it up. From an
 * address the account has used before, its count over all addresses does not matter: an attack from elsewhere fills that.
 */
function countersOf({ account, email, address, device, knownAddress }: PasswordTry): Counter[] {
  const counter = (throttle: Throttle, what: string) => ({ throttle, key: keyOf(throttle, what) });
  const who = account ?? email;
  if (device !== null) return [counter("device", `${who} ${device}`)];
  const group = address === null ? null : addressGroup(address);
  return [
    counter("account_and_address", `${who} ${group ?? ""}`),
    ...(group === null ? [] : [counter("address", group)]),
    ...(knownAddress ? [] : [counter("account", String(who))]),
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
    if (!(rejection instanceof RateLimiterRes)) throw rejection;
    return Math.max(1, Math.ceil(rejection.msBeforeNext / 1000));
  }
}

async function giveBack(counters: readonly Counter[]): Promise<void> {
  await Promise.all(counters.map(({ throttle, key }) => limiter(throttle).reward(key)));
}

function limiter(throttle: Throttle): RateLimiterPostgres {
  const limiters = processWide("crosswalkThrottles", () => new Map<Throttle, RateLimiterPostgres>());
  const known = limiters.get(throttle);
  if (known) return known;
  const { points, seconds } = limitOf(throttle);
  const made = new RateLimiterPostgres({
    // Asked each time: the pool may have been closed and opened anew.
    storeClient: { query: (...statement: Parameters<pg.Pool["query"]>) => pool().query(...statement) },
    storeType: "pool",
    tableName: "failed_sign_in",
    tableCreated: true,
    keyPrefix: "",
    points,
    duration: seconds,
    // The library's own timer can't be stopped: housekeeping removes what has expired (`removeExpiredTries`).
    clearExpiredByTimeout: false,
  });
  limiters.set(throttle, made);
  return made;
}

/** Removes counts that expired more than an hour ago: longer than the clocks of processes and of the database are apart. */
export async function removeExpiredTries(): Promise<void> {
  await db.run(sql`DELETE FROM failed_sign_in WHERE expire < extract(epoch FROM now() - interval '1 hour') * 1000`);
}
