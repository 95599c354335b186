import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { config } from "./config";

/** The purpose of a sealed string. Each has its own keys, so a string sealed for one can't be opened for another. */
type Purpose = "cursor";

const CIPHER = "aes-256-gcm";
/** The first byte. Change it together with the format or the keys. */
const VERSION = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES;
/** Texts are padded to a multiple of this, so that the length reveals little about the content. */
const BLOCK_BYTES = 128;

/**
 * Encrypts and authenticates a string (AES-256-GCM) with keys derived from SECRET_KEY for this purpose. Returns base64url of version, nonce,
 * content and tag, which opens only with the same `context`.
 *
 * The nonce is derived from the content instead of random. The same text in the same context has the same result, so links stay stable, and
 * nonces of a key can't run out.
 *
 * @param text without trailing spaces, because `unseal` removes the spaces that padding adds
 */
export function seal(purpose: Purpose, text: string, context: string): string {
  const { key, nonceKey } = keysFor(purpose);
  const content = pad(text);
  const nonce = createHmac("sha256", nonceKey)
    .update(`${Buffer.byteLength(context)}:${context}`)
    .update(content)
    .digest()
    .subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(authenticatedData(context));
  const sealed = [cipher.update(content), cipher.final()];
  return Buffer.concat([Buffer.of(VERSION), nonce, ...sealed, cipher.getAuthTag()]).toString("base64url");
}

/** Opens a string sealed for this purpose and context. Returns null for anything else. */
export function unseal(purpose: Purpose, sealed: string, context: string): string | null {
  const bytes = Buffer.from(sealed, "base64url");
  // Accept one form only. Decoders of base64url also take other alphabets, padding and stray bits.
  if (bytes[0] !== VERSION || bytes.length < HEAD_BYTES + TAG_BYTES || bytes.toString("base64url") !== sealed)
    return null;
  const decipher = createDecipheriv(CIPHER, keysFor(purpose).key, bytes.subarray(1, HEAD_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(authenticatedData(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const content = [decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(content).toString().trimEnd();
  } catch {
    return null;
  }
}

const derived = new Map<Purpose, { key: Buffer; nonceKey: Buffer }>();

function keysFor(purpose: Purpose): { key: Buffer; nonceKey: Buffer } {
  const known = derived.get(purpose);
  if (known) return known;
  const info = `crosswalk ${purpose} v${VERSION}`;
  const bytes = Buffer.from(hkdfSync("sha256", config().SECRET_KEY, "", info, 2 * KEY_BYTES));
  const keys = { key: bytes.subarray(0, KEY_BYTES), nonceKey: bytes.subarray(KEY_BYTES) };
  derived.set(purpose, keys);
  return keys;
}

function authenticatedData(context: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(context)]);
}

function pad(text: string): Buffer {
  const bytes = Buffer.byteLength(text);
  return Buffer.from(text + " ".repeat(Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES - bytes));
}
