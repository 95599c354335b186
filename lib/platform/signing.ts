import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { config } from "./config";

/** The purpose of a signature. A signature for a file is invalid for an image. */
type Purpose =
  | "card-image"
  | "file"
  | "imported-card"
  | "staff-session"
  | "staff-device"
  | "wrong-password"
  | "ccda-root";

/**
 * Purposes whose results are stored or published as IDs: image keys of imports and document IDs. They use SECRET_KEY itself, as they always
 * did, because another key would give the same records new IDs.
 */
const STABLE: readonly Purpose[] = ["imported-card", "ccda-root"];

/** Signs a string (HMAC-SHA256 with a key derived from SECRET_KEY for this purpose). Returns base64url. */
export function sign(purpose: Purpose, text: string): string {
  return createHmac("sha256", keyFor(purpose)).update(`${purpose}\n${text}`).digest("base64url");
}

/** Returns whether a signature is valid, in constant time. */
export function verifySignature(purpose: Purpose, text: string, signature: string): boolean {
  const expected = Buffer.from(sign(purpose, text));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

const derived = new Map<Purpose, string | Buffer>();

function keyFor(purpose: Purpose): string | Buffer {
  const known = derived.get(purpose);
  if (known) return known;
  const { SECRET_KEY } = config();
  const key = STABLE.includes(purpose)
    ? SECRET_KEY
    : Buffer.from(hkdfSync("sha256", SECRET_KEY, "", `crosswalk signing ${purpose} v1`, 32));
  derived.set(purpose, key);
  return key;
}
