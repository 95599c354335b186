import { OverloadedError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { observeStoreFailure } from "@/lib/platform/metrics";
import { property } from "@/lib/platform/objects";

/** The failure of a store, with names and codes only, because messages of stores quote keys and signatures. */
class StoreFailure extends Error {
  readonly operation: string;

  constructor(operation: string, error: unknown, file: UnwrittenFile | undefined) {
    super(`the image store failed at ${operation}: ${describeReason(error)}`);
    this.name = "StoreFailure";
    this.operation = operation;
    const path = property(error, "path");
    if (file ?? path)
      Object.assign(this, { code: property(error, "code"), syscall: property(error, "syscall"), path, ...file });
  }
}

/** A file of a local store that could not be written. Its name is never logged, because it opens the image. */
export interface UnwrittenFile {
  path: string;
  bytes: number;
  /** Free bytes on its disk, if known. */
  free?: number;
}

/**
 * Counts the failure and returns the error for the caller (503). It is not logged here, where the request or job that it fails is unknown.
 *
 * @param operation put, get, delete, list or check
 * @param file the file of a local store that could not be written
 */
export function toUnavailable(operation: string, error: unknown, file?: UnwrittenFile): OverloadedError {
  // The probes check every few seconds, and have their own metric.
  if (operation !== "check") observeStoreFailure(operation);
  const cause = new StoreFailure(operation, error, file);
  const message = "Card images can't be reached at the moment; nothing was changed. Try again shortly.";
  return new OverloadedError(cause, message, { reason: "image_store_unavailable", retryAfterSeconds: 5 });
}

/** Logs an error if the store caused it, with the IDs of the request or job that failed. */
export function logStoreFailure(error: unknown, ids: object): void {
  const cause = property(error, "cause");
  if (!(cause instanceof StoreFailure)) return;
  log.error({ err: cause, operation: cause.operation, ...ids }, "the image store can't be used");
}

function describeReason(error: unknown): string {
  const status = property(property(error, "$metadata"), "httpStatusCode");
  const name = property(error, "name") ?? "Error";
  return [name, property(error, "code"), status && `HTTP ${status}`].filter(Boolean).join(" ");
}
