import { OverloadedError } from "@/lib/errors";
import { log } from "@/lib/log";

/** Why a store did not do what it was asked: names and codes alone, for messages of stores quote keys and signatures. */
class StoreFailure extends Error {
  constructor(operation: string, reason: string) {
    super(`the image store failed at ${operation}: ${reason}`);
    this.name = "StoreFailure";
  }
}

/**
 * Logs that the store is out of reach or refuses, and gives the error of the caller's answer: 503, try again.
 *
 * @param operation put, get, delete or list
 */
export function toUnavailable(operation: string, error: unknown): OverloadedError {
  const cause = new StoreFailure(operation, reasonOf(error));
  log.error({ err: cause, operation }, "the image store can't be used");
  const message = "Card images can't be reached at the moment; nothing was changed. Try again shortly.";
  return new OverloadedError(cause, message, { reason: "image_store_unavailable", retryAfterSeconds: 5 });
}

function reasonOf(error: unknown): string {
  const { name, code, $metadata } = error as { name?: string; code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  return [name ?? "Error", code, status && `HTTP ${status}`].filter(Boolean).join(" ");
}
