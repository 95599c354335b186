import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { config } from "./config";

/** What a signature is for: one made for a file is worthless for an image. */
type Purpose =
  | "card-image"
  | "file"
  | "imported-card"
  | "staff-session"
  | "staff-device"
  | "wrong-password"
  | "wrong-secret"
  | "ccda-root";

/**
 * Purposes whose results are ids that are stored or were given out: image keys of imports, and document ids. They keep the key they
 * were first made with, SECRET_KEY itself, because another one would give the same records new ids.
 */
const STABLE: readonly Purpose[] = ["imported-card", "ccda-root"];

/** A keyed signature of a text (HMAC-SHA256 with a key derived from SECRET_KEY for this purpose), base64url. */
export function sign(purpose: Purpose, text: string): string {
  return createHmac("sha256", keyFor(purpose)).update(`${purpose}\n${text}`).digest("base64url");
}

/** Whether `signature` is ours for this text; compared in constant time. */
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
