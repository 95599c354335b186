import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const VERSION = 1;
const KEY_BYTES = 32;
/** Identifies the secret that a key was derived from, without revealing the key. */
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Version and key ID. They are authenticated together with the context. */
const HEAD_BYTES = 1 + KEY_ID_BYTES;
/** Labels of the derived keys. Each kind has its own key, so that a private key can't be used as a secret. */
const INFO = { key: "crosswalk webhook signing key v1", secret: "crosswalk webhook signing secret v1" } as const;

/** What a sealed key belongs to. */
export interface SealingContext {
  kind: keyof typeof INFO;
  /** Identifies the subscription. The same text is needed to decrypt the key. */
  context: string;
  /** The installation's SECRET_KEY. */
  secretKey: string;
}

/** A signing key can't be decrypted: SECRET_KEY is wrong, the key belongs to another subscription, or its bytes were changed. */
export class SigningKeyUnreadableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "SigningKeyUnreadableError";
  }
}

/** Encrypts a signing key by AES-256-GCM. The result consists of version, key ID, nonce, tag and the encrypted key. */
export function seal(content: Buffer, { kind, context, secretKey }: SealingContext): Buffer {
  const { key, keyId } = sealingKey(kind, secretKey);
  const head = Buffer.concat([Buffer.of(VERSION), keyId]);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(authenticatedData(head, context));
  const sealed = [cipher.update(content), cipher.final()];
  return Buffer.concat([head, nonce, cipher.getAuthTag(), ...sealed]);
}

/**
 * Decrypts the result of `seal` and converts it with `read`.
 *
 * @throws SigningKeyUnreadableError
 */
export function unseal<T>(
  sealed: Uint8Array,
  { kind, context, secretKey }: SealingContext,
  read: (content: Buffer) => T,
): T {
  const bytes = Buffer.from(sealed);
  const [head, nonce, tag, content] = split(bytes, [HEAD_BYTES, NONCE_BYTES, TAG_BYTES]);
  if (bytes[0] !== VERSION || content.length === 0)
    throw new SigningKeyUnreadableError("A webhook signing key has a format that this version can't read.");
  const { key, keyId } = sealingKey(kind, secretKey);
  if (!head.subarray(1).equals(keyId))
    throw new SigningKeyUnreadableError("A webhook signing key was encrypted with a different SECRET_KEY.");
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(authenticatedData(head, context)).setAuthTag(tag);
    return read(Buffer.concat([decipher.update(content), decipher.final()]));
  } catch (cause) {
    throw new SigningKeyUnreadableError(
      "A webhook signing key was altered, or belongs to another subscription.",
      cause,
    );
  }
}

function sealingKey(kind: keyof typeof INFO, secretKey: string): { key: Buffer; keyId: Buffer } {
  const derived = Buffer.from(hkdfSync("sha256", secretKey, "", INFO[kind], KEY_BYTES + KEY_ID_BYTES));
  return { key: derived.subarray(0, KEY_BYTES), keyId: derived.subarray(KEY_BYTES) };
}

/** Joins what is authenticated besides the key. The head has a fixed length, so the result is unambiguous. */
function authenticatedData(head: Buffer, context: string): Buffer {
  return Buffer.concat([head, Buffer.from(context)]);
}

function split(bytes: Buffer, [head, nonce, tag]: [number, number, number]): [Buffer, Buffer, Buffer, Buffer] {
  return [
    bytes.subarray(0, head),
    bytes.subarray(head, head + nonce),
    bytes.subarray(head + nonce, head + nonce + tag),
    bytes.subarray(head + nonce + tag),
  ];
}
