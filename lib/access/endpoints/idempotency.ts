import { createHash, randomUUID } from "node:crypto";
import { withCommitHook } from "@/lib/platform/db/transaction";
import { BadRequestError } from "@/lib/platform/http/errors";
import type { PlainResponse } from "@/lib/platform/http/response";
import { log } from "@/lib/platform/log";
import { claimKey, markApplied, releaseKey, storeResponse } from "./idempotency-commands";

const STORED_HEADERS = ["content-type", "location", "etag", "sync-status", "deprecation", "sunset", "link"];

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
 * Runs a POST at most once per client and key (design §4). The transaction of the write marks the key as applied, so a retry can't
 * write again even if the process crashes between the write and its response.
 *
 * @param call.content the same for the same method, path and body
 * @param call.oneTimeResponse a repeated request gets 409 instead of the response, which holds a secret
 */
export async function withIdempotency(
  call: { clientId: number; key: string; path: string; content: string; oneTimeResponse: boolean },
  run: () => Promise<HandlerResult>,
): Promise<HandlerResult & { replayed: boolean }> {
  const fingerprint = createHash("sha256").update(call.content).digest("base64url");
  const use = { clientId: call.clientId, key: call.key, path: call.path, fingerprint, lease: randomUUID() };
  const stored = await claimKey(use);
  if (stored) {
    const headers = { ...stored.headers, "idempotent-replayed": "true", "cache-control": "no-store" };
    const response = { status: stored.status, headers, body: stored.body };
    return { response, patients: stored.patients, unnamed: stored.unnamed, replayed: true };
  }
  const result = await withCommitHook((tx) => markApplied(tx, use), run).catch(async (error) => {
    await quietly(releaseKey(use));
    throw error;
  });
  const { response, patients, unnamed } = result;
  // A temporary failure wrote nothing, so the key can be used again.
  if (response.status >= 500 || "retry-after" in response.headers) {
    await quietly(releaseKey(use));
    return { ...result, replayed: false };
  }
  if (call.oneTimeResponse && response.status < 300) {
    await quietly(storeResponse(use, ALREADY_DONE));
    return { ...result, replayed: false };
  }
  const headers = STORED_HEADERS.flatMap((name) => {
    const value = response.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const { status } = response;
  const body = response.body instanceof Uint8Array ? Buffer.from(response.body).toString() : response.body;
  await quietly(storeResponse(use, { status, headers: Object.fromEntries(headers), body, patients, unnamed }));
  return { ...result, replayed: false };
}

/** Stored in place of a response with a secret or password, because those are never stored. */
const ALREADY_DONE = {
  status: 409,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    detail:
      "This request was already completed, and its response can't be shown again. Check the list before you try again.",
    code: "idempotency_told_once",
  }),
  patients: [],
  unnamed: [],
};

/** Logs a failure and continues, because the write is done. A key that could not be stored or released expires with its lease. */
async function quietly(bookkeeping: Promise<void>): Promise<void> {
  await bookkeeping.catch((err: unknown) => log.warn({ err }, "an Idempotency-Key could not be updated"));
}
