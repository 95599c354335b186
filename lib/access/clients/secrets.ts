import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** SHA-256: enough for secrets of 256 random bits, which no dictionary holds. */
export type SecretHash = Buffer;

/** A new random secret of 256 bits, with a prefix by which secret scanners know it. */
export function newSecret(prefix: "cws" | "cwt"): string {
  return `${prefix}_${randomBytes(32).toString("base64url")}`;
}

export function hashSecret(secret: string): SecretHash {
  return createHash("sha256").update(secret).digest();
}

/** Whether a secret has this hash, compared in constant time. */
export function matchesHash(secret: string, hash: Uint8Array): boolean {
  const given = hashSecret(secret);
  return given.length === hash.length && timingSafeEqual(given, hash);
}
