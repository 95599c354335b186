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
/** Tells keys made from different secrets apart; says nothing of the key. */
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Version, key id; with the context, what the seal covers besides the key. */
const HEAD_BYTES = 1 + KEY_ID_BYTES;
const INFO = "crosswalk webhook signing key v1";

/** A sealed signing key that does not open: a wrong SECRET_KEY, another subscription's key, or changed bytes. */
export class SigningKeyUnreadableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "SigningKeyUnreadableError";
  }
}

/**
 * A fresh Ed25519 pair for one subscription (design §8). `publicKey` is the Standard Webhooks form: `whpk_` and the 32 bytes
 * in base64. `sealedPrivateKey` opens only with the same `context` (which names the subscription) and `secretKey`
 * (the installation's SECRET_KEY): version, key id, nonce, tag, then PKCS #8 under AES-256-GCM.
 */
export function createSigningKeys(context: string, secretKey: string): { publicKey: string; sealedPrivateKey: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const { key, keyId } = sealingKey(secretKey);
  const head = Buffer.concat([Buffer.of(VERSION), keyId]);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(covered(head, context));
  const sealed = [cipher.update(privateKey.export({ format: "der", type: "pkcs8" })), cipher.final()];
  const raw = Buffer.from(String(publicKey.export({ format: "jwk" }).x), "base64url");
  return {
    publicKey: `whpk_${raw.toString("base64")}`,
    sealedPrivateKey: Buffer.concat([head, nonce, cipher.getAuthTag(), ...sealed]),
  };
}

/**
 * Opens a key that `createSigningKeys` has sealed, for `signWebhook` (design §8).
 *
 * @throws {SigningKeyUnreadableError}
 */
export function openSigningKey(sealed: Uint8Array, context: string, secretKey: string): KeyObject {
  const bytes = Buffer.from(sealed);
  const [head, nonce, tag, content] = split(bytes, [HEAD_BYTES, NONCE_BYTES, TAG_BYTES]);
  if (bytes[0] !== VERSION || content.length === 0)
    throw new SigningKeyUnreadableError("A webhook signing key is not in a form this version reads.");
  const { key, keyId } = sealingKey(secretKey);
  if (!head.subarray(1).equals(keyId))
    throw new SigningKeyUnreadableError("SECRET_KEY is not the one a webhook signing key was sealed with.");
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(covered(head, context)).setAuthTag(tag);
    const opened = Buffer.concat([decipher.update(content), decipher.final()]);
    return createPrivateKey({ key: opened, format: "der", type: "pkcs8" });
  } catch (cause) {
    throw new SigningKeyUnreadableError("A webhook signing key was altered, or was sealed for something else.", cause);
  }
}

function sealingKey(secretKey: string): { key: Buffer; keyId: Buffer } {
  const derived = Buffer.from(hkdfSync("sha256", secretKey, "", INFO, KEY_BYTES + KEY_ID_BYTES));
  return { key: derived.subarray(0, KEY_BYTES), keyId: derived.subarray(KEY_BYTES) };
}

/** The head has a fixed length: no two pairs of head and context read the same. */
function covered(head: Buffer, context: string): Buffer {
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
 * The headers of one attempt, signed by the asymmetric scheme of Standard Webhooks 1.0 (design §8): Ed25519 over
 * `id.timestamp.body`. `id` is the same in every attempt and holds no full stop, or two messages could have one signature;
 * `timestamp` is the attempt's, in whole seconds since 1970; `body` is what is sent, to the byte.
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

/** The context a signing key is sealed with, so that it can't be opened for another subscription. */
export function signingKeyContext(subscription: { clientId: number; resource: string; target: string }): string {
  const { clientId, resource, target } = subscription;
  return `${clientId} ${resource} ${target}`;
}
