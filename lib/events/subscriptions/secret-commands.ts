import type { SecurityEvent } from "@/lib/access/audit/events";
import { auditSecurityIn } from "@/lib/access/audit/security-commands";
import { appendRecordVersion } from "@/lib/access/history/commands";
import type { Access, Origin } from "@/lib/access/identity/access";
import { createSigningSecret, signingKeyContext } from "@/lib/events/webhooks/signing";
import { readValidSecrets, type StoredSecret } from "@/lib/events/webhooks/signing-keys";
import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Sql, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { ConflictError, NotFoundError } from "@/lib/platform/errors";
import { type ClientRequest, requireAllPractices } from "./commands";
import type { NewSigningSecret } from "./schema";
import { subscriptionIsVisible } from "./staff-queries";

/** Each secret adds a signature to every webhook. */
const MAX_SECRETS = 5;

/**
 * Creates a secret for a subscription of the caller. Its previous secrets keep signing for `keepHours`.
 *
 * @throws NotFoundError
 * @throws ConflictError too_many_secrets
 */
export async function createSecret(
  { access, origin }: ClientRequest,
  id: number,
  keepHours: number,
): Promise<NewSigningSecret> {
  return transaction(async (tx) => {
    const subscription = await lockSubscription(tx, id, sql`s.client_id = ${access.clientId}`);
    return rotate(tx, subscription, { origin, keepHours, audited: { practices: access.practices } });
  });
}

/**
 * Creates a secret on behalf of a staff member, as `createSecret`.
 *
 * @throws NotFoundError if no client with access to the caller's practices has this subscription
 * @throws ConflictError too_many_secrets, or belongs_elsewhere if the client can access other practices too
 */
export async function createSecretForPractice(
  { access, origin }: { access: Access; origin: Origin },
  id: number,
  keepHours: number,
): Promise<NewSigningSecret> {
  return transaction(async (tx) => {
    const subscription = await lockSubscription(tx, id, subscriptionIsVisible(access));
    const client = await requireAllPractices(tx, access, subscription.client_id, "replace its secret");
    const about = { type: "client" as const, id: client.id, name: client.name };
    return rotate(tx, subscription, { origin, keepHours, audited: { practices: client.practices, about } });
  });
}

type LockedSubscription = Row<
  "subscription",
  "id" | "client_id" | "resource" | "target" | "version" | "signing_secrets"
>;

/** @param visible a condition on the subscription `s` */
async function lockSubscription(tx: Tx, id: number, visible: Sql): Promise<LockedSubscription> {
  // SQL, because the condition is shared with other queries.
  const found = await tx.first<LockedSubscription>(sql`
    SELECT s.id, s.client_id, s.resource, s.target, s.version, s.signing_secrets FROM subscription s
    WHERE s.id = ${id} AND s.deleted_date IS NULL AND ${visible} FOR NO KEY UPDATE`);
  if (!found) throw new NotFoundError("subscription");
  return found;
}

async function rotate(
  tx: Tx,
  subscription: LockedSubscription,
  request: { origin: Origin; keepHours: number; audited: Pick<SecurityEvent, "practices" | "about"> },
): Promise<NewSigningSecret> {
  const { id, client_id: clientId, resource, target } = subscription;
  const { origin, keepHours, audited } = request;
  const now = clock.now();
  const created_date = now.toISOString();
  const end = new Date(now.getTime() + keepHours * 3_600_000).toISOString();
  const valid = readValidSecrets(subscription.signing_secrets);
  const kept = keepHours === 0 ? [] : valid.map((secret) => expireBy(secret, end));
  if (kept.length >= MAX_SECRETS) {
    throw new ConflictError(
      "too_many_secrets",
      `This subscription already has ${MAX_SECRETS} valid secrets. Set keep_hours to 0 to end them now.`,
    );
  }
  const { secret, sealedSecret } = createSigningSecret(
    signingKeyContext({ clientId, resource, target }),
    config().SECRET_KEY,
  );
  const stored: StoredSecret = { sealed: sealedSecret.toString("base64"), created_date, expires_date: null };
  const version = subscription.version + 1;
  await tx.run(
    kysely
      .updateTable("subscription")
      .set({ signing_secrets: JSON.stringify([stored, ...kept]), modified_date: created_date, version })
      .where("id", "=", id),
  );
  const old_secrets_end = valid.length > 0 ? end : null;
  const changes = {
    signing_secret_date: { old: valid[0]?.created_date ?? null, new: created_date },
    ...(old_secrets_end && { old_secrets_end: { old: null, new: old_secrets_end } }),
  };
  const entry = { id, version, kind: "updated" as const, changes, occurredDate: created_date };
  await appendRecordVersion(tx, { type: "subscription", practiceId: null, origin, ...entry });
  const facts = { subscription: id, old_secrets_end };
  await auditSecurityIn(tx, [{ name: "webhook_secret.created", origin, facts, ...audited }]);
  return { id, signing_secret: secret, old_secrets_end: kept.length > 0 ? end : null };
}

/** Returns a secret that expires at `end` or earlier. */
function expireBy(secret: StoredSecret, end: string): StoredSecret {
  const { expires_date } = secret;
  return { ...secret, expires_date: expires_date !== null && expires_date < end ? expires_date : end };
}
