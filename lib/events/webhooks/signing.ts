import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";

const CIPHER = "aes-256-gcm";
const VERSION = 1;
const KEY_BYTES = 32;
/** Identifies the secret that a key was derived from, without revealing the key. */
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Version and key ID. They are authenticated together with the context. */
const HEAD_BYTES = 1 + KEY_ID_BYTES;
const INFO = "crosswalk webhook signing key v1";

/** A signing key can't be decrypted: SECRET_KEY is wrong, the key belongs to another subscription, or its bytes were changed. */
export class SigningKeyUnreadableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "SigningKeyUnreadableError";
  }
}

/**
 * Creates an Ed25519 key pair for one subscription. `publicKey` has the form of Standard Webhooks: `whpk_` and the 32
 * bytes in base64. `sealedPrivateKey` consists of version, key ID, nonce, tag and the PKCS #8 key encrypted by AES-256-GCM.
 *
 * @param context identifies the subscription; the same is needed to decrypt the key
 * @param secretKey the installation's SECRET_KEY
 */
export function createSigningKeys(context: string, secretKey: string): { publicKey: string; sealedPrivateKey: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const { key, keyId } = sealingKey(secretKey);
  const head = Buffer.concat([Buffer.of(VERSION), keyId]);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(authenticatedData(head, context));
  const sealed = [cipher.update(privateKey.export({ format: "der", type: "pkcs8" })), cipher.final()];
  const raw = Buffer.from(String(publicKey.export({ format: "jwk" }).x), "base64url");
  return {
    publicKey: `whpk_${raw.toString("base64")}`,
    sealedPrivateKey: Buffer.concat([head, nonce, cipher.getAuthTag(), ...sealed]),
  };
}

/**
 * Decrypts a key of `createSigningKeys`, for `signWebhook`.
 *
 * @throws SigningKeyUnreadableError
 */
export function openSigningKey(sealed: Uint8Array, context: string, secretKey: string): KeyObject {
  const bytes = Buffer.from(sealed);
  const [head, nonce, tag, content] = split(bytes, [HEAD_BYTES, NONCE_BYTES, TAG_BYTES]);
  if (bytes[0] !== VERSION || content.length === 0)
    throw new SigningKeyUnreadableError("A webhook signing key has a format that this version can't read.");
  const { key, keyId } = sealingKey(secretKey);
  if (!head.subarray(1).equals(keyId))
    throw new SigningKeyUnreadableError("A webhook signing key was encrypted with a different SECRET_KEY.");
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(authenticatedData(head, context)).setAuthTag(tag);
    const opened = Buffer.concat([decipher.update(content), decipher.final()]);
    return createPrivateKey({ key: opened, format: "der", type: "pkcs8" });
  } catch (cause) {
    throw new SigningKeyUnreadableError(
      "A webhook signing key was altered, or belongs to another subscription.",
      cause,
    );
  }
}

function sealingKey(secretKey: string): { key: Buffer; keyId: Buffer } {
  const derived = Buffer.from(hkdfSync("sha256", secretKey, "", INFO, KEY_BYTES + KEY_ID_BYTES));
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

export type SignatureHeaders = Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>;

/**
 * Returns the headers of an attempt, signed by the asymmetric scheme of Standard Webhooks 1.0: Ed25519 over
 * `id.timestamp.body`.
 *
 * @param message.id the same in every attempt; must not contain a period, so that two messages can't have the same signature
 * @param message.timestamp of the attempt, in whole seconds since 1970-01-01 UTC
 * @param message.body exactly the text that is sent
 */
export function signWebhook(
  key: KeyObject,
  message: { id: string; timestamp: number; body: string },
): SignatureHeaders {
  const { id, timestamp, body } = message;
  const signature = sign(null, Buffer.from(`${id}.${timestamp}.${body}`), key);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1a,${signature.toString("base64")}`,
  };
}

/** Returns the context that a signing key is encrypted with, so that it can't be used for another subscription. */
export function signingKeyContext(subscription: { clientId: number; resource: string; target: string }): string {
  const { clientId, resource, target } = subscription;
  return `${clientId} ${resource} ${target}`;
}
