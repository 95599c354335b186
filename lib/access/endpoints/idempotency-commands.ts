import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import type { Row } from "@/lib/platform/db/rows";
import { db, json, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { BusinessRuleError, ConflictError, OverloadedError } from "@/lib/platform/errors";

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

type KeyRow = StoredResponse & Row<"idempotency_key", "fingerprint" | "state" | "leased_until">;

/** One use of an Idempotency-Key, with the lease of this attempt. */
export interface KeyUse {
  clientId: number;
  key: string;
  fingerprint: string;
  /** Path of the request. */
  path: string;
  lease: string;
}

const LEASE_MS = 60_000;

/**
 * Claims the key for this request, or returns the response stored for it.
 *
 * @throws BusinessRuleError if the key was used with another request
 * @throws ConflictError if the first request is still running, or ended before its response was stored
 */
export async function claimKey(call: KeyUse): Promise<StoredResponse | null> {
  const now = clock.now();
  const until = new Date(now.getTime() + LEASE_MS);
  const expires = new Date(now.getTime() + config().IDEMPOTENCY_TTL_HOURS * 3_600_000);
  const fresh = sql`(${call.clientId}, ${call.key}, ${call.fingerprint}, ${call.path}, 'in_flight', ${call.lease}::uuid, ${until}, ${now}, ${expires})`;
  // A key is free again once it has expired, or if its request died before it wrote anything.
  const claimed = await db.run(sql`
    INSERT INTO idempotency_key AS k (client_id, key, fingerprint, path, state, lease, leased_until, created_date, expires_date)
    VALUES ${fresh}
    ON CONFLICT (client_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, path = excluded.path, state = 'in_flight',
      lease = excluded.lease, leased_until = excluded.leased_until, created_date = excluded.created_date,
      expires_date = excluded.expires_date, status = NULL, headers = NULL, body = NULL, patients = NULL, unnamed = NULL
    WHERE k.expires_date <= ${now}
      OR (k.state = 'in_flight' AND k.leased_until <= ${now} AND k.fingerprint = excluded.fingerprint)`);
  if (claimed === 1) return null;

  const row = await db.first<KeyRow>(sql`
    SELECT fingerprint, state, leased_until, status, headers, body, to_json(patients) AS patients,
      to_json(coalesce(unnamed, '{}')) AS unnamed
    FROM idempotency_key
    WHERE client_id = ${call.clientId} AND key = ${call.key}`);
  if (!row) throw inFlight();
  if (row.fingerprint !== call.fingerprint) {
    throw new BusinessRuleError("idempotency_key_reused", "This Idempotency-Key was used with another request.");
  }
  if (row.state === "answered") return row;
  if (row.state === "applied" && row.leased_until <= now.toISOString()) {
    throw new ConflictError(
      "idempotency_answer_lost",
      "The first request with this key was carried out, but its answer was not kept. Read the record to see it.",
    );
  }
  throw inFlight();
}

function inFlight(): ConflictError {
  return new ConflictError("idempotency_in_flight", "The first request with this Idempotency-Key is still running.");
}

/** Marks the key as applied, in the transaction of the write. */
export async function markApplied(tx: Tx, use: KeyUse): Promise<void> {
  const marked = await tx.run(sql`UPDATE idempotency_key SET state = 'applied' WHERE ${heldBy(use)}`);
  if (marked === 0) throw new OverloadedError("the idempotency lease was taken over");
}

/** Stores the response for repeated requests. */
export async function storeResponse(use: KeyUse, answer: StoredResponse): Promise<void> {
  await db.run(sql`
    UPDATE idempotency_key
    SET state = 'answered', status = ${answer.status}, headers = ${json(answer.headers)}, body = ${answer.body},
      patients = ${[...answer.patients]}::bigint[], unnamed = ${[...answer.unnamed]}::bigint[]
    WHERE ${heldBy(use)}`);
}

/**
 * Erases stored responses about a policy that was deleted permanently. Repeated requests get 410.
 *
 * @param path of the patient's policies
 */
export async function eraseResponses(tx: Tx, path: string, policyId: number): Promise<void> {
  const gone = JSON.stringify({ detail: "This policy was deleted permanently.", code: "gone" });
  const own = `${path}/${policyId}`;
  await tx.run(sql`
    UPDATE idempotency_key SET status = 410, patients = '{}', unnamed = '{}', body = ${gone}, headers = ${json({ "content-type": "application/json" })}
    WHERE state = 'answered' AND (path = ${own} OR path LIKE ${`${own}/%`} OR headers->>'location' LIKE ${`%${own}`}
      OR (path = ${`${path}/reorder`} AND body LIKE ${`%"id":${policyId},%`}))`);
}

/** Releases a key whose request wrote nothing. */
export async function releaseKey(use: KeyUse): Promise<void> {
  await db.run(sql`DELETE FROM idempotency_key WHERE ${heldBy(use)} AND state = 'in_flight'`);
}

/** Deletes expired keys. Returns how many. */
export async function removeExpiredKeys(): Promise<number> {
  return db.run(sql`DELETE FROM idempotency_key WHERE expires_date <= ${clock.now()}`);
}

function heldBy(use: KeyUse) {
  return sql`client_id = ${use.clientId} AND key = ${use.key} AND lease = ${use.lease}::uuid`;
}
