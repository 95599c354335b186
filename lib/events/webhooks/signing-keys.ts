import type { KeyObject } from "node:crypto";
import { z } from "zod";
import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import type { Row } from "@/lib/platform/db/rows";
import { openSigningKey, openSigningSecret, type SigningKeys, signingKeyContext } from "./signing";

const MAX_KEYS = 1_000;
/** The keys that were used last, by everything they were opened with. A new key of a subscription has other bytes, so none is outdated. */
const opened = new Map<string, KeyObject>();

/** The column with the secrets of a subscription, newest first. Null if it has none. */
const storedSecrets = z
  .array(
    z.object({
      /** The encrypted secret in base64. */
      sealed: z.string(),
      created_date: z.string(),
      /** When the secret stops signing. Null for the current one. */
      expires_date: z.string().nullable(),
    }),
  )
  .nullable();
export type StoredSecret = NonNullable<z.output<typeof storedSecrets>>[number];

/** Reads the secrets of a subscription that still sign, newest first. */
export function readValidSecrets(column: unknown): StoredSecret[] {
  const now = clock.now().toISOString();
  const secrets = storedSecrets.parse(column) ?? [];
  return secrets.filter(({ expires_date }) => expires_date === null || expires_date > now);
}

/** A subscription with its encrypted keys. */
export interface SigningSubscription
  extends Row<"subscription", "client_id" | "resource" | "target" | "signing_private_key" | "signing_secrets"> {}

/**
 * Decrypts the keys of a subscription, and keeps the keys that were used last. A program that can read this process's memory could also
 * decrypt them, because it holds SECRET_KEY.
 *
 * @throws SigningKeyUnreadableError
 */
export function findSigningKeys(subscription: SigningSubscription): SigningKeys {
  const { client_id: clientId, resource, target, signing_private_key: sealed, signing_secrets } = subscription;
  const context = signingKeyContext({ clientId, resource, target });
  return {
    privateKey: find(openSigningKey, sealed, context),
    secrets: readValidSecrets(signing_secrets).map((secret) =>
      find(openSigningSecret, Buffer.from(secret.sealed, "base64"), context),
    ),
  };
}

function find(open: typeof openSigningKey, sealed: Uint8Array, context: string): KeyObject {
  const { SECRET_KEY: secretKey } = config();
  const name = `${secretKey}\n${context}\n${Buffer.from(sealed).toString("base64")}`;
  const key = opened.get(name) ?? open(sealed, context, secretKey);
  opened.delete(name);
  opened.set(name, key);
  const [oldest] = opened.keys();
  if (opened.size > MAX_KEYS && oldest !== undefined) opened.delete(oldest);
  return key;
}
