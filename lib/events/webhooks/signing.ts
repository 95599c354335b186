import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { seal, unseal } from "./sealing";

/**
 * Creates an Ed25519 key pair for one subscription. `publicKey` has the form of Standard Webhooks: `whpk_` and the 32
 * bytes in base64. `sealedPrivateKey` is the encrypted PKCS #8 key.
 *
 * @param context identifies the subscription; the same is needed to decrypt the key
 * @param secretKey the installation's SECRET_KEY
 */
export function createSigningKeys(context: string, secretKey: string): { publicKey: string; sealedPrivateKey: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = Buffer.from(String(publicKey.export({ format: "jwk" }).x), "base64url");
  const content = privateKey.export({ format: "der", type: "pkcs8" });
  return {
    publicKey: `whpk_${raw.toString("base64")}`,
    sealedPrivateKey: seal(content, { kind: "key", context, secretKey }),
  };
}

/**
 * Decrypts a key of `createSigningKeys`, for `signWebhook`.
 *
 * @throws SigningKeyUnreadableError
 */
export function openSigningKey(sealed: Uint8Array, context: string, secretKey: string): KeyObject {
  return unseal(sealed, { kind: "key", context, secretKey }, (key) =>
    createPrivateKey({ key, format: "der", type: "pkcs8" }),
  );
}

const SECRET_BYTES = 32;

/** Creates the bytes of a secret. */
export function createSecretBytes(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/**
 * Creates a secret for symmetric signatures. `secret` has the form of Standard Webhooks: `whsec_` and 32 bytes in base64.
 *
 * @param content the bytes of a secret that several subscriptions share (default: new ones)
 */
export function createSigningSecret(
  context: string,
  secretKey: string,
  content = createSecretBytes(),
): { secret: string; sealedSecret: Buffer } {
  return {
    secret: `whsec_${content.toString("base64")}`,
    sealedSecret: seal(content, { kind: "secret", context, secretKey }),
  };
}

/**
 * Decrypts a secret of `createSigningSecret`, for `signWebhook`.
 *
 * @throws SigningKeyUnreadableError
 */
export function openSigningSecret(sealed: Uint8Array, context: string, secretKey: string): KeyObject {
  return unseal(sealed, { kind: "secret", context, secretKey }, (secret) => createSecretKey(secret));
}

/** The decrypted keys of a subscription. */
export interface SigningKeys {
  privateKey: KeyObject;
  secrets: readonly KeyObject[];
}

export type SignatureHeaders = Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>;

/**
 * Returns the headers of an attempt, signed by the schemes of Standard Webhooks 1.0 over `id.timestamp.body`: one `v1a` signature
 * (Ed25519), then a `v1` signature (HMAC-SHA256) per secret.
 *
 * @param keys.privateKey of the subscription
 * @param keys.secrets the subscription's valid secrets, newest first
 * @param message.id the same in every attempt; must not contain a period, so that two messages can't have the same signature
 * @param message.timestamp of the attempt, in whole seconds since 1970-01-01 UTC
 * @param message.body exactly the text that is sent
 */
export function signWebhook(
  { privateKey, secrets }: SigningKeys,
  message: { id: string; timestamp: number; body: string },
): SignatureHeaders {
  const { id, timestamp, body } = message;
  const content = Buffer.from(`${id}.${timestamp}.${body}`);
  const symmetric = secrets.map((secret) => `v1,${createHmac("sha256", secret).update(content).digest("base64")}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": [`v1a,${sign(null, content, privateKey).toString("base64")}`, ...symmetric].join(" "),
  };
}

/** Returns the context that the keys of a subscription are encrypted with, so that they can't be used for another subscription. */
export function signingKeyContext(subscription: { clientId: number; resource: string; target: string }): string {
  const { clientId, resource, target } = subscription;
  return `${clientId} ${resource} ${target}`;
}
