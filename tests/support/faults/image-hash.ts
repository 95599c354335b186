import { createHash } from "node:crypto";
import { imageStore } from "@/lib/platform/storage/image-store";

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Returns the hash of the bytes in the image store, or null if it doesn't have the image. */
export async function hashStoredImage(key: string): Promise<string | null> {
  const bytes = await imageStore().get(key);
  return bytes && sha256(bytes);
}
