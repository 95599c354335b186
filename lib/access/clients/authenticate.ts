import type { ClientAccess, Origin } from "@/lib/access/identity/access";
import { practiceOfPatient } from "@/lib/access/tenancy/organizations";
import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { db, json, sql } from "@/lib/platform/db/sql";
import { BearerError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { processWide } from "@/lib/platform/objects";
import { auditRejectedToken } from "./audit-commands";
import { findValidToken, type ValidToken } from "./queries";

interface CachedToken {
  token: ValidToken;
  /** Clock times in ms between which the token is not looked up again: never later than its expiry, nor after the clock was set back. */
  freshFrom: number;
  freshUntil: number;
}

const CACHE_SIZE = 10_000;

/**
 * Returns the access of the token in an Authorization header (RFC 6750 §2.1). Caches it for TOKEN_CACHE_MS, at most 5 s, so another
 * process accepts a revoked token for that long. Audits invalid tokens.
 *
 * @param count counts a call without a valid token, and throws if its address sent too many of them
 * @throws BearerError 401 if the token is missing, malformed, unknown, expired or revoked
 */
export async function authenticate(
  authorization: string | null,
  origin: Origin,
  count: () => Promise<void>,
): Promise<ClientAccess> {
  // Without a bearer token, the challenge names no error (RFC 6750 §3.1).
  if (!/^Bearer( |$)/i.test(authorization ?? "")) {
    await count();
    throw BearerError.missing;
  }
  const token = /^Bearer +([A-Za-z0-9._~+/=-]{1,512})$/i.exec(authorization ?? "")?.[1];
  if (!token) {
    await count();
    await auditRejectedToken(null, origin);
    throw BearerError.invalid;
  }
  const now = clock.now().getTime();
  const cached = cache().get(token);
  if (cached && cached.freshFrom <= now && cached.freshUntil > now) return cached.token.access;
  const found = await findValidToken(token);
  cache().delete(token);
  if (!found) {
    await count();
    await auditRejectedToken(token, origin);
    throw BearerError.invalid;
  }
  const freshUntil = Math.min(now + config().TOKEN_CACHE_MS, Date.parse(found.expiresDate));
  remember(token, { token: found, freshFrom: now, freshUntil });
  return found.access;
}

/** Removes a token from the cache of this process, which has just revoked it. */
export function forgetToken(token: string): void {
  cache().delete(token);
}

/** Removes all tokens of a client from the cache of this process. */
export function forgetClientTokens(clientId: number): void {
  for (const [token, { token: found }] of cache()) if (found.access.clientId === clientId) cache().delete(token);
}

function cache(): Map<string, CachedToken> {
  return processWide("crosswalkTokens", () => new Map());
}

/** Adds a token to the cache in place of the oldest one, which is the first in the Map. */
function remember(token: string, entry: CachedToken): void {
  const oldest = cache().size >= CACHE_SIZE ? cache().keys().next().value : undefined;
  if (oldest !== undefined) cache().delete(oldest);
  cache().set(token, entry);
}

/** What a client did on one day (UTC). */
interface ClientUse {
  clientId: number;
  /** Days since January 1, 1970. */
  day: number;
  calls: number;
  tokens: number;
  /** Clock time of the last call or token in ms. */
  last: number;
  /** Calls of the policy endpoints, by patient. The patients' practices are looked up when the counts are stored. */
  policyCalls: Map<number, number>;
}

interface Counters {
  uses: Map<string, ClientUse>;
  timer: NodeJS.Timeout | undefined;
  /** The last flush, which may be running. */
  flushed: Promise<void>;
}

const FLUSH_MS = 5_000;
const DAY_MS = 86_400_000;

// Next bundles route modules apart from the server, so they share the counters through the process.
function counters(): Counters {
  return processWide("crosswalkClientUse", () => ({ uses: new Map(), timer: undefined, flushed: Promise.resolve() }));
}

/**
 * Counts an authenticated call, even if it fails. Counts are stored within 5 s.
 *
 * @param patientId the patient of a call of the policy endpoints, otherwise null
 */
export function countCall(clientId: number, patientId: number | null): void {
  const use = countsAt(clientId, clock.now().getTime());
  use.calls += 1;
  if (patientId !== null) add(use.policyCalls, patientId, 1);
}

/** Counts a token that was issued to a client. Counts are stored within 5 s. */
export function countToken(clientId: number): void {
  countsAt(clientId, clock.now().getTime()).tokens += 1;
}

/** Stores all counts. The server calls it before it closes its database connections. */
export function flushClientUse(): Promise<void> {
  const all = counters();
  clearTimeout(all.timer);
  all.timer = undefined;
  all.flushed = all.flushed.then(flush);
  return all.flushed;
}

/** Returns the counts of a client for the day of this time. */
function countsAt(clientId: number, time: number): ClientUse {
  const all = counters();
  const day = Math.floor(time / DAY_MS);
  const key = `${clientId} ${day}`;
  let use = all.uses.get(key);
  if (use) use.last = Math.max(use.last, time);
  else {
    use = { clientId, day, calls: 0, tokens: 0, last: time, policyCalls: new Map() };
    all.uses.set(key, use);
    all.timer ??= setTimeout(() => void flushClientUse(), FLUSH_MS).unref();
  }
  return use;
}

function add(counts: Map<number, number>, key: number, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

async function flush(): Promise<void> {
  const all = counters();
  const uses = [...all.uses.values()];
  all.uses = new Map();
  await write(uses, writeClients, ({ clientId, last, calls, tokens }) => {
    const use = countsAt(clientId, last);
    use.calls += calls;
    use.tokens += tokens;
  });
  const ofPolicies = uses.filter(({ policyCalls }) => policyCalls.size > 0);
  await write(ofPolicies, writePolicies, ({ clientId, last, policyCalls }) => {
    const use = countsAt(clientId, last);
    for (const [patient, calls] of policyCalls) add(use.policyCalls, patient, calls);
  });
}

async function write(
  uses: ClientUse[],
  store: (uses: ClientUse[]) => Promise<unknown>,
  again: (use: ClientUse) => void,
): Promise<void> {
  if (uses.length === 0) return;
  try {
    await store(uses);
  } catch (error) {
    log.warn({ err: error }, "could not store the usage of API clients, will retry");
    for (const use of uses) again(use);
  }
}

const toDate = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Writes rows in a fixed order, so that two processes can't deadlock. */
async function writeClients(uses: ClientUse[]): Promise<void> {
  const rows = uses.map(({ clientId, day, calls, tokens, last }) => {
    return { client_id: clientId, day: toDate(day), calls, tokens, last_date: new Date(last).toISOString() };
  });
  await db.run(sql`
    INSERT INTO client_usage AS u (client_id, day, calls, tokens, last_date)
    SELECT client_id, day, calls, tokens, last_date
    FROM jsonb_to_recordset(${json(rows)}) AS n(client_id bigint, day date, calls bigint, tokens bigint,
      last_date timestamptz)
    ORDER BY client_id, day
    ON CONFLICT (client_id, day) DO UPDATE SET calls = u.calls + excluded.calls, tokens = u.tokens + excluded.tokens,
      last_date = greatest(u.last_date, excluded.last_date)`);
}

/** Stores calls by practice. Skips calls about patients of other practices, which were rejected. */
async function writePolicies(uses: ClientUse[]): Promise<void> {
  const rows = uses.flatMap(({ clientId, day, policyCalls }) =>
    [...policyCalls].map(([patient, calls]) => ({ client_id: clientId, patient_id: patient, day: toDate(day), calls })),
  );
  await db.run(sql`
    INSERT INTO policy_usage AS u (practice_id, client_id, day, calls)
    SELECT n.practice_id, n.client_id, n.day, sum(n.calls)
    FROM (SELECT ${practiceOfPatient(sql`r.patient_id`)} AS practice_id, r.*
      FROM jsonb_to_recordset(${json(rows)}) AS r(client_id bigint, patient_id bigint, day date, calls bigint)) n
    JOIN oauth_client_practice g ON g.practice_id = n.practice_id AND g.client_id = n.client_id
    GROUP BY n.practice_id, n.client_id, n.day ORDER BY n.practice_id, n.client_id, n.day
    ON CONFLICT (practice_id, client_id, day) DO UPDATE SET calls = u.calls + excluded.calls`);
}
