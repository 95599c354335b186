import { createHash } from "node:crypto";
import { DomainError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { imageStore } from "./image-store";

/** The stored bytes were changed (503). They are never shown and have to be restored from a backup. */
export class DamagedImageError extends DomainError {
  constructor() {
    super("unavailable", "This card image is damaged and is not shown. It has to be restored from a backup.", {
      reason: "image_damaged",
    });
  }
}

/**
 * Reads a card image, or returns null if the store has none. Always read images through this function.
 *
 * @param image.sha256 the hash in the database, in hex
 * @param request the ID of the request, for the log
 * @throws DamagedImageError if the bytes have another hash
 * @throws OverloadedError if the store can't be reached
 */
export async function readImage(
  { key, sha256 }: { key: string; sha256: string },
  request: string,
): Promise<Uint8Array | null> {
  const bytes = await imageStore().get(key);
  if (bytes === null) {
    log.error({ image: key, request }, "a card image is missing from the store");
    return null;
  }
  if (hashImage(bytes) === sha256) return bytes;
  log.error({ image: key, bytes: bytes.byteLength, request }, "a card image is damaged in the store");
  throw new DamagedImageError();
}

/** Returns the SHA-256 in hex, as stored in the database. */
export function hashImage(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
