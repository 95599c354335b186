import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** A SHA-256 hash, which is enough for random secrets of 256 bits. */
export type SecretHash = Buffer;

/** Returns a random secret of 256 bits, with a prefix that secret scanners recognize. */
export function newSecret(prefix: "cws" | "cwt"): string {
  return `${prefix}_${randomBytes(32).toString("base64url")}`;
}

export function hashSecret(secret: string): SecretHash {
  return hash("sha256", secret, "buffer");
}

/** Compares a secret with a hash in constant time. */
export function matchesHash(secret: string, stored: Uint8Array): boolean {
  const given = hashSecret(secret);
  return given.length === stored.length && timingSafeEqual(given, stored);
}
