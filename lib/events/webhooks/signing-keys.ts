import type { KeyObject } from "node:crypto";
import { openSigningKey } from "./signing";

const MAX_KEYS = 1_000;
/** The keys that were used last, by everything they were opened with. A new key of a subscription has other bytes, so none is outdated. */
const opened = new Map<string, KeyObject>();

/**
 * Decrypts a key like `openSigningKey`, and keeps the keys that were used last. A program that can read this process's memory could also
 * decrypt them, because it holds SECRET_KEY.
 *
 * @throws SigningKeyUnreadableError
 */
export function findSigningKey(sealed: Uint8Array, context: string, secretKey: string): KeyObject {
  const name = `${secretKey}\n${context}\n${Buffer.from(sealed).toString("base64")}`;
  const key = opened.get(name) ?? openSigningKey(sealed, context, secretKey);
  opened.delete(name);
  opened.set(name, key);
  const [oldest] = opened.keys();
  if (opened.size > MAX_KEYS && oldest !== undefined) opened.delete(oldest);
  return key;
}
