import { hash, randomFillSync, timingSafeEqual } from "node:crypto";

/** A SHA-256 hash, which is enough for random secrets of 256 bits. */
export type SecretHash = Buffer;

const SECRET_BYTES = 32;
/** Random bytes for the next secrets, because generating them for one secret takes as long as for many. Used bytes are erased. */
const reserve = Buffer.alloc(64 * SECRET_BYTES);
let used = reserve.length;

/** Returns a random secret of 256 bits, with a prefix that secret scanners recognize. */
export function newSecret(prefix: "cws" | "cwt"): string {
  if (used === reserve.length) {
    randomFillSync(reserve);
    used = 0;
  }
  const from = used;
  used += SECRET_BYTES;
  const secret = `${prefix}_${reserve.toString("base64url", from, used)}`;
  reserve.fill(0, from, used);
  return secret;
}

export function hashSecret(secret: string): SecretHash {
  return hash("sha256", secret, "buffer");
}

/** Compares a secret with a hash in constant time. */
export function matchesHash(secret: string, stored: Uint8Array): boolean {
  const given = hashSecret(secret);
  return given.length === stored.length && timingSafeEqual(given, stored);
}
