import type pg from "pg";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { config } from "@/lib/platform/config";
import { deleteOlder } from "@/lib/platform/db/delete-older";
import { pool } from "@/lib/platform/db/pool";
import { db, sql } from "@/lib/platform/db/sql";
import { addressGroup } from "@/lib/platform/http/request";
import { processWide } from "@/lib/platform/objects";
import { sign } from "@/lib/platform/signing";

/** An attempt to sign in to one account, with what identifies the caller. */
export interface PasswordAttempt {
  /** ID of the account. Null if no account has the email address. */
  account: number | null;
  /** In lower case. */
  email: string;
  address: string | null;
  /** ID of a browser that the account has signed in from. Its attempts are counted separately. */
  device: string | null;
  /** The account has signed in from this address before. */
  knownAddress: boolean;
}

/** The limits on wrong passwords. */
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

/** Returns how many wrong passwords a limit allows. */
function getLimit(throttle: Throttle): Limit {
  const { WRONG_PASSWORD_LIMIT, WRONG_PASSWORD_ADDRESS_LIMIT, WRONG_PASSWORD_ACCOUNT_LIMIT } = config();
  if (throttle === "address") return { points: WRONG_PASSWORD_ADDRESS_LIMIT, seconds: QUARTER_HOUR };
  if (throttle === "account") return { points: WRONG_PASSWORD_ACCOUNT_LIMIT, seconds: HOUR };
  return { points: WRONG_PASSWORD_LIMIT, seconds: QUARTER_HOUR };
}

/** A counted attempt within the limits, whose password may be checked. */
export interface CountedAttempt extends PasswordAttempt {
  counters: readonly Counter[];
}

/**
 * Counts a sign-in before its password is checked, so that concurrent attempts cannot pass the limit together. Each account with
 * the email address is counted separately, because accounts of other organizations may belong to other people (ADR 0112).
 * Counts are stored in the database, so all processes share them and they survive a restart.
 *
 * @returns the attempts whose password may be checked, and the limit that blocked the first of the others. `resetAttempts` and
 * `uncountAttempts` undo counts.
 */
export async function countAttempts(
  attempts: readonly PasswordAttempt[],
): Promise<{ counted: CountedAttempt[]; throttled: Throttled | null }> {
  const counted: CountedAttempt[] = [];
  let throttled: Throttled | null = null;
  for (const attempt of attempts) {
    const isCounted = counted.some(({ counters }) => counters.some(({ throttle }) => throttle === "address"));
    const counters = listCounters(attempt).filter(({ throttle }) => throttle !== "address" || !isCounted);
    const overLimit = await countAll(counters);
    if (overLimit) throttled ??= overLimit;
    else counted.push({ ...attempt, counters });
  }
  return { counted, throttled };
}

async function countAll(counters: readonly Counter[]): Promise<Throttled | null> {
  const counted: Counter[] = [];
  for (const counter of counters) {
    const retryAfterSeconds = await consume(counter);
    if (retryAfterSeconds !== null) {
      // The password won't be checked, so it doesn't count for the other limits.
      await uncount(counted);
      return { by: counter.throttle, retryAfterSeconds };
    }
    counted.push(counter);
  }
  return null;
}

/** Undoes the counts of attempts whose password could not be checked. */
export async function uncountAttempts(counted: readonly CountedAttempt[]): Promise<void> {
  await uncount(counted.flatMap(({ counters }) => counters));
}

/**
 * Resets the caller's own counts for the accounts that the password matched. Counts of the network address and of an account over
 * all addresses may include other people's attempts, so only this attempt is subtracted from them.
 *
 * @param accounts the accounts that the password matched
 */
export async function resetAttempts(
  counted: readonly CountedAttempt[],
  accounts: ReadonlySet<number | null>,
): Promise<void> {
  const isOwn = ({ throttle }: Counter) => throttle === "device" || throttle === "account_and_address";
  const matched = counted.filter(({ account }) => accounts.has(account)).flatMap(({ counters }) => counters);
  const ofAddress = counted.flatMap(({ counters }) => counters).filter(({ throttle }) => throttle === "address");
  await Promise.all(matched.filter(isOwn).map(({ throttle, key }) => limiter(throttle).delete(key)));
  await uncount([...matched.filter(({ throttle }) => throttle === "account"), ...ofAddress]);
}

export interface Counter {
  throttle: Throttle;
  key: string;
}

/**
 * Returns the counters of an attempt. A known browser has its own counter, so that no one else can use it up. A known address doesn't
 * count for the limit of the account, which an attack from elsewhere may have reached.
 */
function listCounters({ account, email, address, device, knownAddress }: PasswordAttempt): Counter[] {
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

/** Returns a keyed hash, so that neither email addresses nor network addresses are stored. */
function keyOf(throttle: Throttle, what: string): string {
  return sign("wrong-password", `${throttle} ${what}`);
}

/** Counts an attempt. Returns null, or the seconds to wait if the limit is reached. */
async function consume({ throttle, key }: Counter): Promise<number | null> {
  try {
    await limiter(throttle).consume(key);
    return null;
  } catch (rejection) {
    if (!(rejection instanceof RateLimiterRes)) throw rejection;
    return Math.max(1, Math.ceil(rejection.msBeforeNext / 1000));
  }
}

async function uncount(counters: readonly Counter[]): Promise<void> {
  await Promise.all(counters.map(({ throttle, key }) => limiter(throttle).reward(key)));
}

function limiter(throttle: Throttle): RateLimiterPostgres {
  const limiters = processWide("crosswalkThrottles", () => new Map<Throttle, RateLimiterPostgres>());
  const known = limiters.get(throttle);
  if (known) return known;
  const { points, seconds } = getLimit(throttle);
  const created = new RateLimiterPostgres({
    // A new pool may have replaced the earlier one.
    storeClient: { query: (...statement: Parameters<pg.Pool["query"]>) => pool().query(...statement) },
    storeType: "pool",
    tableName: "failed_sign_in",
    tableCreated: true,
    keyPrefix: "",
    points,
    duration: seconds,
    // The library's timer can't be stopped, so housekeeping removes expired rows (`removeExpiredAttempts`).
    clearExpiredByTimeout: false,
  });
  limiters.set(throttle, created);
  return created;
}

/** Deletes counts that expired more than an hour ago, because clocks of processes and the database may differ. */
export async function removeExpiredAttempts(): Promise<number> {
  const { limit } = await db.one<{ limit: number }>(
    sql`SELECT (extract(epoch FROM now() - interval '1 hour') * 1000)::bigint AS limit`,
  );
  return deleteOlder("failed_sign_in", "expire", limit);
}
