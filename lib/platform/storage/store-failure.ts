import { OverloadedError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { property } from "@/lib/platform/objects";

/** Why a store did not do what it was asked: names and codes alone, for messages of stores quote keys and signatures. */
class StoreFailure extends Error {
  constructor(operation: string, error: unknown, file: UnwrittenFile | undefined) {
    super(`the image store failed at ${operation}: ${reasonOf(error)}`);
    this.name = "StoreFailure";
    const path = property(error, "path");
    if (file ?? path)
      Object.assign(this, { code: property(error, "code"), syscall: property(error, "syscall"), path, ...file });
  }
}

/** A file of a local store that could not be written. Its name goes into no log: it opens the image. */
export interface UnwrittenFile {
  path: string;
  bytes: number;
  /** Bytes that are free on its disk; absent if that can't be told. */
  free?: number;
}

/**
 * Logs that the store is out of reach or refuses, and gives the error of the caller's answer: 503, try again.
 *
 * @param operation put, get, delete or list
 * @param file what could not be written, in a local store
 */
export function toUnavailable(operation: string, error: unknown, file?: UnwrittenFile): OverloadedError {
  const cause = new StoreFailure(operation, error, file);
  log.error({ err: cause, operation }, "the image store can't be used");
  const message = "Card images can't be reached at the moment; nothing was changed. Try again shortly.";
  return new OverloadedError(cause, message, { reason: "image_store_unavailable", retryAfterSeconds: 5 });
}

function reasonOf(error: unknown): string {
  const status = property(property(error, "$metadata"), "httpStatusCode");
  const name = property(error, "name") ?? "Error";
  return [name, property(error, "code"), status && `HTTP ${status}`].filter(Boolean).join(" ");
}
