// Signing keys and signatures of webhooks, in the asymmetric scheme of Standard Webhooks.
import { createPrivateKey, createPublicKey, createSecretKey, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import { SigningKeyUnreadableError } from "@/lib/events/webhooks/sealing";
import {
  createSigningKeys,
  createSigningSecret,
  openSigningKey,
  openSigningSecret,
  signWebhook,
} from "@/lib/events/webhooks/signing";

const SECRET = "a-secret-key-of-an-installation-0001";
const OTHER_SECRET = "a-secret-key-of-an-installation-0002";
const CONTEXT = "webhook-subscription:17";
const MESSAGE = {
  id: "2f1d5c1e-6a52-4d8e-9f4b-0a6f3b8f5f10",
  timestamp: 1_790_000_000,
  body: '{"data":{"name":"López"}}',
};

/** Verifies a signature as a receiver does, with the serialized key and the headers. */
function isGenuine(publicKey: string, headers: ReturnType<typeof signWebhook>, body: string): boolean {
  const x = Buffer.from(publicKey.replace(/^whpk_/, ""), "base64").toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return headers["webhook-signature"].split(" ").some((entry) => {
    const [version, signature = ""] = entry.split(",");
    return version === "v1a" && verify(null, Buffer.from(content), key, Buffer.from(signature, "base64"));
  });
}

describe("a sealed signing key", () => {
  test("opens with its context and secret, and matches the public key", () => {
    const { publicKey, sealedPrivateKey } = createSigningKeys(CONTEXT, SECRET);
    expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
    const key = openSigningKey(new Uint8Array(sealedPrivateKey), CONTEXT, SECRET);
    expect(key).toMatchObject({ type: "private", asymmetricKeyType: "ed25519" });
    expect(isGenuine(publicKey, signWebhook({ privateKey: key, secrets: [] }, MESSAGE), MESSAGE.body)).toBe(true);
  });

  test("differs each time, and does not contain the key in plain text", () => {
    const [one, two] = [createSigningKeys(CONTEXT, SECRET), createSigningKeys(CONTEXT, SECRET)];
    expect(one.publicKey).not.toBe(two.publicKey);
    expect(one.sealedPrivateKey.equals(two.sealedPrivateKey)).toBe(false);
    const raw = openSigningKey(one.sealedPrivateKey, CONTEXT, SECRET).export({ format: "jwk" }).d as string;
    expect(one.sealedPrivateKey.includes(Buffer.from(raw, "base64url"))).toBe(false);
  });

  test("fails to open under another secret, and names SECRET_KEY", () => {
    const { sealedPrivateKey } = createSigningKeys(CONTEXT, SECRET);
    const open = () => openSigningKey(sealedPrivateKey, CONTEXT, OTHER_SECRET);
    expect(open).toThrow(SigningKeyUnreadableError);
    expect(open).toThrow("A webhook signing key was encrypted with a different SECRET_KEY.");
  });

  test("does not open for another subscription", () => {
    const { sealedPrivateKey } = createSigningKeys(CONTEXT, SECRET);
    for (const context of ["webhook-subscription:18", "webhook-subscription:1", ""])
      expect(() => openSigningKey(sealedPrivateKey, context, SECRET)).toThrow(SigningKeyUnreadableError);
  });

  test("does not open if a bit changed, or if it was cut or extended", () => {
    const { sealedPrivateKey } = createSigningKeys(CONTEXT, SECRET);
    const expectRejected = (bytes: Uint8Array) =>
      expect(() => openSigningKey(bytes, CONTEXT, SECRET)).toThrow(SigningKeyUnreadableError);
    for (let bit = 0; bit < sealedPrivateKey.length * 8; bit++) {
      const changed = Buffer.from(sealedPrivateKey);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expectRejected(changed);
    }
    for (let length = 0; length < sealedPrivateKey.length; length++)
      expectRejected(sealedPrivateKey.subarray(0, length));
    expectRejected(Buffer.concat([sealedPrivateKey, Buffer.of(0)]));
  });
});

describe("the signature", () => {
  const { publicKey, sealedPrivateKey } = createSigningKeys(CONTEXT, SECRET);
  const keys = { privateKey: openSigningKey(sealedPrivateKey, CONTEXT, SECRET), secrets: [] };

  test("has the headers of Standard Webhooks", () => {
    expect(signWebhook(keys, MESSAGE)).toEqual({
      "webhook-id": MESSAGE.id,
      "webhook-timestamp": "1790000000",
      "webhook-signature": expect.stringMatching(/^v1a,[A-Za-z0-9+/]{86}==$/),
    });
  });

  test("covers id, timestamp and body", () => {
    const headers = signWebhook(keys, MESSAGE);
    expect(isGenuine(publicKey, headers, MESSAGE.body)).toBe(true);
    expect(isGenuine(publicKey, headers, `${MESSAGE.body} `)).toBe(false);
    expect(isGenuine(publicKey, { ...headers, "webhook-id": "other" }, MESSAGE.body)).toBe(false);
    expect(isGenuine(publicKey, { ...headers, "webhook-timestamp": "1790000001" }, MESSAGE.body)).toBe(false);
    expect(isGenuine(createSigningKeys(CONTEXT, SECRET).publicKey, headers, MESSAGE.body)).toBe(false);
  });

  test("is Ed25519 of RFC 8032 over id.timestamp.body", () => {
    // The first key of RFC 8032, section 7.1; the signature is from another implementation.
    const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    const der = Buffer.from(`302e020100300506032b657004220420${seed}`, "hex");
    const known = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    const headers = signWebhook(
      { privateKey: known, secrets: [] },
      { id: "msg_1", timestamp: 1_674_087_231, body: "{}" },
    );
    const expected = "7yJe5dtbsHMgXRBCZb+zg39fZzTS8b7rtoEDLMoFeycWBfZiKiDPT7W/QdgS5EjDpjQe2jxyZtcM2zhZ3gt2DA==";
    expect(headers["webhook-signature"]).toBe(`v1a,${expected}`);
  });

  test("by a secret is HMAC-SHA256 over id.timestamp.body, one for each secret after the Ed25519 signature", () => {
    // Computed with OpenSSL: printf 'msg_1.1674087231.{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102…1f -binary
    const known = createSecretKey(Buffer.from(Array.from({ length: 32 }, (_, index) => index)));
    const other = createSecretKey(Buffer.alloc(32, 1));
    const headers = signWebhook(
      { ...keys, secrets: [known, other] },
      { id: "msg_1", timestamp: 1_674_087_231, body: "{}" },
    );
    const [asymmetric, first, second, ...rest] = headers["webhook-signature"].split(" ");
    expect(asymmetric).toMatch(/^v1a,/);
    expect(first).toBe("v1,BxU1mYCBV2ldG2HAG6MnEv0UJfY6XIfbCpPpj/9VI/Y=");
    expect(second).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
    expect(rest).toEqual([]);
  });
});

describe("a sealed secret", () => {
  const { secret, sealedSecret } = createSigningSecret(CONTEXT, SECRET);

  test("opens to its 32 bytes, and does not contain them in plain text", () => {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const raw = Buffer.from(secret.slice("whsec_".length), "base64");
    expect(openSigningSecret(sealedSecret, CONTEXT, SECRET).export().equals(raw)).toBe(true);
    expect(sealedSecret.includes(raw)).toBe(false);
  });

  test("does not open for another subscription, under another SECRET_KEY, or as a private key", () => {
    expect(() => openSigningSecret(sealedSecret, `${CONTEXT}0`, SECRET)).toThrow(SigningKeyUnreadableError);
    expect(() => openSigningSecret(sealedSecret, CONTEXT, OTHER_SECRET)).toThrow(SigningKeyUnreadableError);
    expect(() => openSigningKey(sealedSecret, CONTEXT, SECRET)).toThrow(SigningKeyUnreadableError);
    const { sealedPrivateKey } = createSigningKeys(CONTEXT, SECRET);
    expect(() => openSigningSecret(sealedPrivateKey, CONTEXT, SECRET)).toThrow(SigningKeyUnreadableError);
  });
});
