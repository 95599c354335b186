import { type KeyObject, sign } from "node:crypto";

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
