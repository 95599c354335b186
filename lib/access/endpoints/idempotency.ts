import { createHash, randomUUID } from "node:crypto";
import { withCommitHook } from "@/lib/platform/db/transaction";
import { BadRequestError } from "@/lib/platform/http/errors";
import type { PlainResponse } from "@/lib/platform/http/send";
import { log } from "@/lib/platform/log";
import { claimKey, markApplied, releaseKey, storeResponse } from "./idempotency-commands";

const KEPT_HEADERS = ["content-type", "location", "etag", "sync-status", "deprecation", "sunset", "link"];

/** Reads the Idempotency-Key header; null where it is absent. */
export function readIdempotencyKey(request: Request): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === null) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new BadRequestError("invalid_idempotency_key", "Idempotency-Key: 1 to 255 visible ASCII characters.");
  }
  return key;
}

/** An answer, and the patients whose data it holds. */
export interface HandlerResult {
  response: PlainResponse;
  patients: readonly number[];
  /** Practices whose records in the answer contain personal data but no patient. */
  unnamed: readonly number[];
}

/**
 * Runs a POST at most once per client and key (design §4). The key is marked as applied in the transaction of the write,
 * so that even a crash between the write and its answer can't make a second try write again.
 *
 * @param call.content the same for the same method, path and body
 * @param call.oneTimeResponse a repeat is told that it was done, and not again what it made
 */
export async function withIdempotency(
  call: { clientId: number; key: string; path: string; content: string; oneTimeResponse: boolean },
  run: () => Promise<HandlerResult>,
): Promise<HandlerResult & { replayed: boolean }> {
  const fingerprint = createHash("sha256").update(call.content).digest("base64url");
  const use = { clientId: call.clientId, key: call.key, path: call.path, fingerprint, lease: randomUUID() };
  const kept = await claimKey(use);
  if (kept) {
    const headers = { ...kept.headers, "idempotent-replayed": "true", "cache-control": "no-store" };
    const response = { status: kept.status, headers, body: kept.body };
    return { response, patients: kept.patients, unnamed: kept.unnamed, replayed: true };
  }
  const answered = await withCommitHook((tx) => markApplied(tx, use), run).catch(async (error) => {
    await quietly(releaseKey(use));
    throw error;
  });
  const { response, patients, unnamed } = answered;
  // What passes by itself wrote nothing: the same key may be tried again.
  if (response.status >= 500 || "retry-after" in response.headers) {
    await quietly(releaseKey(use));
    return { ...answered, replayed: false };
  }
  if (call.oneTimeResponse && response.status < 300) {
    await quietly(storeResponse(use, TOLD));
    return { ...answered, replayed: false };
  }
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = response.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const { status } = response;
  const body = response.body instanceof Uint8Array ? Buffer.from(response.body).toString() : response.body;
  await quietly(storeResponse(use, { status, headers: Object.fromEntries(headers), body, patients, unnamed }));
  return { ...answered, replayed: false };
}

/** Kept in place of an answer that held a secret or a password: nobody reads those anywhere. */
const TOLD = {
  status: 409,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    detail: "This was done already, and what it made is told only once. Look at the list before you try again.",
    code: "idempotency_told_once",
  }),
  patients: [],
  unnamed: [],
};

/** The write is over, whatever becomes of its bookkeeping: a key that could not be kept or freed lapses with its lease. */
async function quietly(bookkeeping: Promise<void>): Promise<void> {
  await bookkeeping.catch((err: unknown) => log.warn({ err }, "an Idempotency-Key could not be kept up to date"));
}
