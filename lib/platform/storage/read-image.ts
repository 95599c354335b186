import { createHash } from "node:crypto";
import { DomainError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { imageStore } from "./image-store";

/** The store holds other bytes than were put into it (503): they are never shown, and a backup has to bring them back. */
export class DamagedImageError extends DomainError {
  constructor() {
    super("unavailable", "This card image is damaged and is not shown. It has to be restored from a backup.", {
      reason: "image_damaged",
    });
  }
}

/**
 * The bytes of a card image, or null where the store has none: the one way to read an image.
 *
 * @param image.sha256 what the database says of the bytes, in hex
 * @throws DamagedImageError the bytes are others
 * @throws OverloadedError the store is out of reach
 */
export async function readImage({ key, sha256 }: { key: string; sha256: string }): Promise<Uint8Array | null> {
  const bytes = await imageStore().get(key);
  if (bytes === null) {
    log.error({ image: key }, "a card image is missing from the store");
    return null;
  }
  if (hashImage(bytes) === sha256) return bytes;
  log.error({ image: key, bytes: bytes.byteLength }, "a card image is damaged in the store");
  throw new DamagedImageError();
}

/** The hash the database keeps of an image: SHA-256 in hex. */
export function hashImage(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
