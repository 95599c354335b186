import { randomBytes } from "node:crypto";
import type { Origin } from "@/lib/access/identity/access";
import { GLOBAL_SCOPE, scopeProblem } from "@/lib/access/identity/scopes";
import { listPracticesOf } from "@/lib/access/tenancy/organizations";
import { clock, daysAgo, isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { deleteOlder } from "@/lib/platform/db/delete-older";
import { GroupCommit } from "@/lib/platform/db/group-commit";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { db, fixed, isForeignKeyViolation, type Sql, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { ConflictError, NotFoundError, ValidationError } from "@/lib/platform/errors";
import { processWide } from "@/lib/platform/objects";
import { auditRevokedToken } from "./audit-commands";
import { countToken } from "./authenticate";
import { type ClientCredentials, findClientCredentials, type IssuedToken, practicesOf } from "./queries";
import { hashSecret, matchesHash, newSecret, type SecretHash } from "./secrets";

/** Returns the client and the secret that these credentials match, or null. */
export async function verifyClient(
  clientId: string,
  clientSecret: string,
): Promise<{ client: ClientCredentials; secretId: number } | null> {
  const client = await findClientCredentials(clientId);
  const secret = client?.secrets.find(({ hash }) => matchesHash(clientSecret, hash));
  return client && secret ? { client, secretId: secret.id } : null;
}

/** A condition: the client `c` is enabled and may hold a token with these scopes, a text[]. */
const mayHold = (scopes: Sql): Sql => sql`c.disabled_date IS NULL
  AND (c.scoped_tokens OR ${scopes} = ${[GLOBAL_SCOPE]}::text[])
  AND (cardinality(c.allowed_scopes) = 0 OR ${scopes} <@ c.allowed_scopes)`;

interface Grant {
  scopes: readonly string[];
  lifetimeSeconds: number;
}

/** A token to store, if the credentials are valid. Hashes are hexadecimal, as PostgreSQL reads them. */
interface TokenRequest {
  public_id: string;
  secret_hash: string;
  token_hash: string;
  scopes: readonly string[];
  created_date: string;
  expires_date: string;
}

// Secrets are found by their hash, as tokens are: they have 256 random bits, so the time that a comparison takes reveals nothing useful.
// The lock on the client keeps a concurrent change to its scopes from missing the token. A client that is locked is skipped, so that it
// doesn't hold up the others.
const INSERT_FOR_SECRETS = fixed(
  (requests: string) => sql`
    INSERT INTO oauth_token (token_hash, client_id, secret_id, scopes, created_date, expires_date)
    SELECT r.token_hash, c.id, s.id, r.scopes, r.created_date, r.expires_date
    FROM json_to_recordset(${requests}::json) AS r(public_id text, secret_hash bytea, token_hash bytea, scopes text[],
        created_date timestamptz, expires_date timestamptz)
      JOIN oauth_client c ON c.client_id = r.public_id
      JOIN oauth_client_secret s ON s.client_id = c.id AND s.secret_hash = r.secret_hash
    WHERE (s.expires_date IS NULL OR s.expires_date > r.created_date) AND ${mayHold(sql`r.scopes`)}
    FOR SHARE OF c SKIP LOCKED
    RETURNING token_hash::text, client_id, secret_id, (SELECT c.name FROM oauth_client c WHERE c.id = oauth_token.client_id) AS name,
      ${practicesOf(sql`oauth_token.client_id`)} AS practices`,
);

type StoredToken = Row<"oauth_token", "client_id" | "secret_id"> & {
  token_hash: string;
  name: string;
  practices: number[];
};

interface QueuedToken {
  request: TokenRequest;
  /** Set once the token is stored. */
  stored?: StoredToken | undefined;
}

/** Stores the tokens of concurrent requests in one commit. */
function tokenQueue(): GroupCommit<QueuedToken> {
  return processWide(
    "crosswalkTokenRequests",
    () =>
      new GroupCommit(async (entries) => {
        const requests = JSON.stringify(entries.map(({ request }) => request));
        const rows = await db.rows<StoredToken>(INSERT_FOR_SECRETS(requests)).catch((error: unknown) => {
          // A secret was removed at the same time.
          if (isForeignKeyViolation(error)) return [];
          throw error;
        });
        const stored = new Map(rows.map((row) => [row.token_hash, row]));
        for (const entry of entries) entry.stored = stored.get(entry.request.token_hash);
      }),
  );
}

/**
 * Issues an access token if the credentials are valid and the client may use the scopes, in one statement with those of concurrent requests.
 * Only the token's hash is stored. Returns null if they aren't, or can't be checked at once because the client is being changed.
 *
 * @throws OverloadedError if the database is unavailable or too many requests are waiting
 */
export async function issueTokenFor(
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  { scopes, lifetimeSeconds }: Grant,
): Promise<IssuedToken | null> {
  const token = newSecret("cwt");
  const now = clock.now();
  const request = {
    public_id: clientId,
    secret_hash: toHex(hashSecret(clientSecret)),
    token_hash: toHex(hashSecret(token)),
    scopes,
    created_date: now.toISOString(),
    expires_date: new Date(now.getTime() + lifetimeSeconds * 1000).toISOString(),
  };
  const entry: QueuedToken = { request };
  await tokenQueue().add(entry);
  if (!entry.stored) return null;
  const { client_id: id, secret_id: secretId, name, practices } = entry.stored;
  countToken(id);
  return { token, secretId, client: { id, name, practices } };
}

const toHex = (hash: SecretHash) => `\\x${hash.toString("hex")}`;

/**
 * Issues an access token for verified credentials and returns it. Waits while the client is being changed.
 *
 * @throws NotFoundError if the secret was removed, the client disabled or a scope revoked since the credentials were verified
 */
export async function issueToken(grant: Grant & { clientId: number; secretId: number }): Promise<string> {
  const token = newSecret("cwt");
  const now = clock.now();
  const expires = new Date(now.getTime() + grant.lifetimeSeconds * 1000);
  try {
    const issued = await db.run(sql`
      INSERT INTO oauth_token (token_hash, client_id, secret_id, scopes, created_date, expires_date)
      SELECT ${hashSecret(token)}, c.id, ${grant.secretId}, ${grant.scopes}::text[], ${now}::timestamptz,
        ${expires}::timestamptz
      FROM oauth_client c WHERE c.id = ${grant.clientId} AND ${mayHold(sql`${grant.scopes}::text[]`)}
      FOR SHARE OF c`);
    if (issued === 0) throw new NotFoundError("client");
  } catch (error) {
    throw isForeignKeyViolation(error) ? new NotFoundError("secret") : error;
  }
  countToken(grant.clientId);
  return token;
}

/** Revokes a token of this client and audits it (RFC 7009). Does nothing if the client has no such token. */
export async function revokeToken(client: IssuedToken["client"], token: string, origin: Origin): Promise<void> {
  await transaction(async (tx) => {
    const revoked = await tx.run(
      kysely
        .updateTable("oauth_token")
        .set({ revoked_date: isoNow() })
        .where("token_hash", "=", hashSecret(token))
        .where("client_id", "=", client.id)
        .where("revoked_date", "is", null),
    );
    if (revoked > 0) await auditRevokedToken(tx, client, origin);
  });
}

/**
 * Revokes the tokens that a client may no longer hold: all if it is disabled, otherwise those with a scope that it may no longer
 * use. The caller has locked and changed the client in this transaction. Returns the number of revoked tokens.
 */
export async function revokeDisallowedTokens(tx: Tx, clientId: number): Promise<number> {
  const now = clock.now();
  return tx.run(sql`
    UPDATE oauth_token t SET revoked_date = ${now}
    FROM oauth_client c WHERE c.id = ${clientId} AND t.client_id = c.id AND t.revoked_date IS NULL
      AND t.expires_date > ${now} AND (c.disabled_date IS NOT NULL
        OR (NOT c.scoped_tokens AND t.scopes <> ${[GLOBAL_SCOPE]}::text[])
        OR (cardinality(c.allowed_scopes) > 0 AND NOT t.scopes <@ c.allowed_scopes))`);
}

/** Deletes tokens that expired more than a day ago. Returns their number. */
export async function removeExpiredTokens(): Promise<number> {
  return deleteOlder("oauth_token", "expires_date", daysAgo(1));
}

/** Deletes daily usage of USAGE_RETENTION_DAYS ago. Keeps the last day of each client, which shows when it was last used. */
export async function removeOldUsage(): Promise<number> {
  const limit = daysAgo(config().USAGE_RETENTION_DAYS).slice(0, 10);
  const isNotLast = sql`EXISTS (
    SELECT FROM client_usage later WHERE later.client_id = client_usage.client_id AND later.day > client_usage.day)`;
  const clients = await deleteOlder("client_usage", "day", limit, isNotLast);
  return clients + (await deleteOlder("policy_usage", "day", limit));
}

interface NewClient {
  name: string;
  organizationId: number;
  practices: readonly number[];
  scopedTokens?: boolean;
  allowedScopes?: readonly string[];
}

interface ClientSecret {
  id: number;
  clientId: string;
  clientSecret: string;
}

/**
 * Registers an API client and returns its credentials. Only the hash of the secret is stored.
 *
 * @throws ValidationError if a scope is unknown or a practice belongs to another organization
 */
export async function createClient(input: NewClient): Promise<ClientSecret> {
  requireKnownScopes(input.allowedScopes ?? []);
  const practiceIds = (await listPracticesOf(input.organizationId)).map(({ id }) => id);
  if (input.practices.some((id) => !practiceIds.includes(id)))
    throw new ValidationError({ practices: ["No such practice."] });
  return transaction((tx) => insertClient(tx, input));
}

/** @throws ValidationError if a scope is unknown */
export function requireKnownScopes(scopes: readonly string[]): void {
  const problem = scopes.map(scopeProblem).find((found) => found !== null);
  if (problem) throw new ValidationError({ allowed_scopes: [problem] });
}

/** Inserts a client that the caller has validated. */
export async function insertClient(tx: Tx, input: NewClient): Promise<ClientSecret> {
  const { name, organizationId, practices, scopedTokens = false, allowedScopes = [] } = input;
  const clientId = randomBytes(16).toString("hex");
  const { id } = await tx.one(
    kysely
      .insertInto("oauth_client")
      .values({
        client_id: clientId,
        name,
        organization_id: organizationId,
        scoped_tokens: scopedTokens,
        allowed_scopes: [...allowedScopes],
        created_date: isoNow(),
      })
      .returning("id"),
  );
  const { clientSecret } = await insertSecret(tx, id);
  if (practices.length > 0) {
    const granted = practices.map((practice_id) => ({ client_id: id, practice_id }));
    await tx.run(kysely.insertInto("oauth_client_practice").values(granted));
  }
  return { id, clientId, clientSecret };
}

/**
 * Adds a second secret for a rotation.
 *
 * @throws NotFoundError
 * @throws ConflictError if the client already has two valid secrets
 */
export async function addSecret(clientId: number): Promise<{ secretId: number; clientSecret: string }> {
  return transaction((tx) => addSecretIn(tx, clientId));
}

/**
 * Locks a client until the transaction ends: concurrent calls that count its secrets or listeners run one after the other.
 *
 * @throws NotFoundError
 */
export async function lockClient(tx: Tx, clientId: number): Promise<void> {
  const client = await tx.first(
    kysely.selectFrom("oauth_client").select("id").where("id", "=", clientId).forNoKeyUpdate(),
  );
  if (!client) throw new NotFoundError("client");
}

/** Adds a second secret in the caller's transaction, with the same errors as `addSecret`. */
export async function addSecretIn(tx: Tx, clientId: number): Promise<{ secretId: number; clientSecret: string }> {
  await lockClient(tx, clientId);
  const now = isoNow();
  const valid = await tx.rows(
    kysely
      .selectFrom("oauth_client_secret")
      .select("id")
      .where("client_id", "=", clientId)
      .where((secret) => secret.or([secret("expires_date", "is", null), secret("expires_date", ">", now)])),
  );
  if (valid.length >= 2)
    throw new ConflictError("two_secrets", "This client already has two active secrets. Revoke one first.");
  return insertSecret(tx, clientId);
}

async function insertSecret(tx: Tx, clientId: number): Promise<{ secretId: number; clientSecret: string }> {
  const clientSecret = newSecret("cws");
  const secret = { client_id: clientId, secret_hash: hashSecret(clientSecret), created_date: isoNow() };
  const { id } = await tx.one(kysely.insertInto("oauth_client_secret").values(secret).returning("id"));
  return { secretId: id, clientSecret };
}

/**
 * Removes a secret and the tokens that were issued with it.
 *
 * @throws NotFoundError
 */
export async function removeSecret(clientId: number, secretId: number): Promise<void> {
  await transaction((tx) => removeSecretIn(tx, clientId, secretId));
}

/** Removes a secret in the caller's transaction, with the same errors as `removeSecret`. */
export async function removeSecretIn(tx: Tx, clientId: number, secretId: number): Promise<void> {
  const removed = await tx.run(
    kysely.deleteFrom("oauth_client_secret").where("id", "=", secretId).where("client_id", "=", clientId),
  );
  if (removed === 0) throw new NotFoundError("secret");
}

/**
 * Disables a client and revokes its tokens.
 *
 * @throws NotFoundError
 */
export async function disableClient(clientId: number): Promise<void> {
  await transaction(async (tx) => {
    const disabled = await tx.run(
      kysely.updateTable("oauth_client").set({ disabled_date: isoNow() }).where("id", "=", clientId),
    );
    if (disabled === 0) throw new NotFoundError("client");
    await revokeDisallowedTokens(tx, clientId);
  });
}
