import { createHash, randomUUID } from "node:crypto";
import { clock, isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { deleteOlder } from "@/lib/platform/db/delete-older";
import { databaseNow, databaseNowPlus } from "@/lib/platform/db/due-time";
import type { Row } from "@/lib/platform/db/rows";
import { db, json, type Sql, sql } from "@/lib/platform/db/sql";
import { type Tx, withCommitHook } from "@/lib/platform/db/transaction";
import { BusinessRuleError, ConflictError, OverloadedError } from "@/lib/platform/errors";
import { BadRequestError } from "@/lib/platform/http/errors";
import type { PlainResponse } from "@/lib/platform/http/response";
import { log } from "@/lib/platform/log";

const STORED_HEADERS = ["content-type", "location", "etag", "sync-status", "deprecation", "sunset", "link"];

/** If a process is killed during a request, a repeated request gets 409 for this long. */
const LEASE_MS = 10_000;
/** How often a running request renews its lease. Most end before. */
const RENEW_MS = 3_000;

/** Reads the Idempotency-Key header, or returns null if it is absent. */
export function readIdempotencyKey(request: Request): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === null) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new BadRequestError("invalid_idempotency_key", "Idempotency-Key: 1 to 255 visible ASCII characters.");
  }
  return key;
}

/** A response, and the patients whose data it holds. */
export interface HandlerResult {
  response: PlainResponse;
  patients: readonly number[];
  /** Practices whose records in the response hold personal data but name no patient. */
  unnamed: readonly number[];
}

/**
 * Runs a POST at most once per client and key. The transaction of the write marks the key as applied, so a retry can't
 * write again even if the process crashes between the write and its response.
 *
 * @param call.content the same for the same method, path and body
 * @param call.requestId for the log
 * @param call.oneTimeResponse a repeated request gets 409 instead of the response, which holds a secret
 */
export async function withIdempotency(
  call: { clientId: number; key: string; path: string; content: string; oneTimeResponse: boolean; requestId: string },
  run: () => Promise<HandlerResult>,
): Promise<HandlerResult & { replayed: boolean }> {
  const fingerprint = createHash("sha256").update(call.content).digest("base64url");
  const { clientId, key, path, oneTimeResponse, requestId } = call;
  const use = { clientId, key, path, fingerprint, lease: randomUUID() };
  const stored = await claimKey(use);
  if (stored) {
    const headers = { ...stored.headers, "idempotent-replayed": "true", "cache-control": "no-store" };
    const response = { status: stored.status, headers, body: stored.body };
    return { response, patients: stored.patients, unnamed: stored.unnamed, replayed: true };
  }
  const renewal = setInterval(() => void quietly(renewLease(use), requestId), RENEW_MS).unref();
  try {
    return { ...(await runAndStore(use, { oneTimeResponse, requestId }, run)), replayed: false };
  } finally {
    clearInterval(renewal);
  }
}

async function runAndStore(
  use: KeyUse,
  { oneTimeResponse, requestId }: { oneTimeResponse: boolean; requestId: string },
  run: () => Promise<HandlerResult>,
): Promise<HandlerResult> {
  const result = await withCommitHook((tx) => markApplied(tx, use), run).catch(async (error) => {
    await quietly(releaseKey(use), requestId);
    throw error;
  });
  const { response, patients, unnamed } = result;
  // A temporary failure wrote nothing, so the key can be used again.
  if (response.status >= 500 || "retry-after" in response.headers) {
    await quietly(releaseKey(use), requestId);
    return result;
  }
  if (oneTimeResponse && response.status < 300) {
    await quietly(storeResponse(use, ALREADY_DONE), requestId);
    return result;
  }
  const headers = STORED_HEADERS.flatMap((name) => {
    const value = response.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const { status } = response;
  const body = response.body instanceof Uint8Array ? Buffer.from(response.body).toString() : response.body;
  const stored = { status, headers: Object.fromEntries(headers), body, patients, unnamed };
  await quietly(storeResponse(use, stored), requestId);
  return result;
}

/** Stored in place of a response with a secret or password, because those are never stored. */
const ALREADY_DONE = {
  status: 409,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    detail:
      "The first request with this Idempotency-Key succeeded. Its response contained a secret or password, which is shown only once. Check what it created before you send the request with another key.",
    code: "idempotency_told_once",
  }),
  patients: [],
  unnamed: [],
};

/** Logs a failure and continues, because the write is done. A key that could not be stored or released expires with its lease. */
async function quietly(bookkeeping: Promise<void>, request: string): Promise<void> {
  await bookkeeping.catch((err: unknown) => log.warn({ err, request }, "an Idempotency-Key could not be updated"));
}

/** A response, stored for repeated requests. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: string | null;
  /** IDs of the patients whose data it holds. */
  patients: readonly number[];
  /** IDs of practices whose records in the response hold personal data but name no patient. */
  unnamed: readonly number[];
}

type KeyRow = StoredResponse & Row<"idempotency_key", "fingerprint" | "state"> & { is_lease_over: boolean };

/** One use of an Idempotency-Key, with the lease of this attempt. */
export interface KeyUse {
  clientId: number;
  key: string;
  fingerprint: string;
  /** Path of the request. */
  path: string;
  lease: string;
}

/**
 * Claims the key for this request, or returns the response stored for it.
 *
 * @throws BusinessRuleError if the key was used with another request
 * @throws ConflictError if the first request is still running, or ended before its response was stored
 */
export async function claimKey(call: KeyUse): Promise<StoredResponse | null> {
  const now = clock.now();
  const expires = new Date(now.getTime() + config().IDEMPOTENCY_TTL_HOURS * 3_600_000);
  const fresh = sql`(${call.clientId}, ${call.key}, ${call.fingerprint}, ${call.path}, 'in_flight', ${call.lease}::uuid, ${leaseEnd()}, ${now}, ${expires})`;
  // A key is free again once it has expired, or if its request died before it wrote anything.
  const claimed = await db.run(sql`
    INSERT INTO idempotency_key AS k (client_id, key, fingerprint, path, state, lease, leased_until, created_date, expires_date)
    VALUES ${fresh}
    ON CONFLICT (client_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, path = excluded.path, state = 'in_flight',
      lease = excluded.lease, leased_until = excluded.leased_until, created_date = excluded.created_date,
      expires_date = excluded.expires_date, status = NULL, headers = NULL, body = NULL, patients = NULL, unnamed = NULL
    WHERE k.expires_date <= ${now}
      OR (k.state = 'in_flight' AND k.leased_until <= ${databaseNow()} AND k.fingerprint = excluded.fingerprint)`);
  if (claimed === 1) return null;

  const row = await db.first<KeyRow>(sql`
    SELECT fingerprint, state, leased_until <= ${databaseNow()} AS is_lease_over, status, headers, body, to_json(patients) AS patients,
      to_json(coalesce(unnamed, '{}')) AS unnamed
    FROM idempotency_key
    WHERE client_id = ${call.clientId} AND key = ${call.key}`);
  if (!row) throw inFlight();
  if (row.fingerprint !== call.fingerprint) {
    throw new BusinessRuleError("idempotency_key_reused", "This Idempotency-Key was used with another request.");
  }
  if (row.state === "completed") return row;
  if (row.state === "applied" && row.is_lease_over) {
    throw new ConflictError(
      "idempotency_answer_lost",
      "The first request with this key succeeded, but its response was not stored. Read the record to see the result.",
    );
  }
  throw inFlight();
}

const leaseEnd = () => databaseNowPlus(sql`${LEASE_MS}`);

/** Renews the lease of a request that is still running. */
async function renewLease(use: KeyUse): Promise<void> {
  await db.run(sql`UPDATE idempotency_key SET leased_until = ${leaseEnd()} WHERE ${heldBy(use)}`);
}

function inFlight(): ConflictError {
  const message = "The first request with this Idempotency-Key is still running.";
  return new ConflictError("idempotency_in_flight", message, { retryAfterSeconds: 1 });
}

/** Marks the key as applied, in the transaction of the write. */
export async function markApplied(tx: Tx, use: KeyUse): Promise<void> {
  const marked = await tx.run(sql`UPDATE idempotency_key SET state = 'applied' WHERE ${heldBy(use)}`);
  if (marked === 0) throw new OverloadedError("the idempotency lease was taken over");
}

/** Stores the response for repeated requests. */
export async function storeResponse(use: KeyUse, response: StoredResponse): Promise<void> {
  await db.run(sql`
    UPDATE idempotency_key
    SET state = 'completed', status = ${response.status}, headers = ${json(response.headers)}, body = ${response.body},
      patients = ${[...response.patients]}::bigint[], unnamed = ${[...response.unnamed]}::bigint[]
    WHERE ${heldBy(use)}`);
}

/**
 * Erases stored responses about a policy that was deleted permanently. Repeated requests get 410.
 *
 * @param policy.path of the patient's policies
 * @param policy.insurancePath of the policy's legacy insurance, below which its eligibility is checked
 */
export async function eraseResponses(
  tx: Tx,
  { path, insurancePath, policyId }: { path: string; insurancePath: string; policyId: number },
): Promise<void> {
  const gone = JSON.stringify({ detail: "This policy was deleted permanently.", code: "gone" });
  const policyPath = `${path}/${policyId}`;
  await tx.run(sql`
    UPDATE idempotency_key SET status = 410, patients = '{}', unnamed = '{}', body = ${gone}, headers = ${json({ "content-type": "application/json" })}
    WHERE state = 'completed' AND (path = ${policyPath} OR path LIKE ${`${policyPath}/%`} OR headers->>'location' LIKE ${`%${policyPath}`}
      OR path LIKE ${`${insurancePath}/%`} OR (path = ${`${path}/reorder`} AND body LIKE ${`%"id":${policyId},%`}))`);
}

/** Releases a key whose request wrote nothing. */
export async function releaseKey(use: KeyUse): Promise<void> {
  await db.run(sql`DELETE FROM idempotency_key WHERE ${heldBy(use)} AND state = 'in_flight'`);
}

/** Deletes expired keys. Returns how many. */
export async function removeExpiredKeys(): Promise<number> {
  return deleteOlder("idempotency_key", "expires_date", isoNow());
}

/** Returns a condition: this attempt holds the key. SQL, because POST requests, also of policies, wait for these statements. */
function heldBy(use: KeyUse): Sql {
  return sql`client_id = ${use.clientId} AND key = ${use.key} AND lease = ${use.lease}::uuid`;
}
