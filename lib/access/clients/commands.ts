import { randomBytes } from "node:crypto";
import { GLOBAL_SCOPE, scopeProblem } from "@/lib/access/identity/scopes";
import { listPracticesOf } from "@/lib/access/tenancy/organizations";
import { clock } from "@/lib/platform/clock";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { db, isForeignKeyViolation, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { ConflictError, NotFoundError, ValidationError } from "@/lib/platform/errors";
import { countToken } from "./authenticate";
import { type ClientCredentials, findClientCredentials } from "./queries";
import { hashSecret, matchesHash, newSecret } from "./secrets";

/** The client and secret these credentials prove, or null. */
export async function verifyClient(
  clientId: string,
  clientSecret: string,
): Promise<{ client: ClientCredentials; secretId: number } | null> {
  const client = await findClientCredentials(clientId);
  const secret = client?.secrets.find(({ hash }) => matchesHash(clientSecret, hash));
  return client && secret ? { client, secretId: secret.id } : null;
}

/**
 * Makes an access token and gives its characters: the only time anyone sees them. The client is locked against changes
 * meanwhile, so no token outlives what was taken from its client at the same time.
 *
 * @throws NotFoundError where the secret was removed, the client disabled or a scope taken from it since it was checked
 */
export async function issueToken(grant: {
  clientId: number;
  secretId: number;
  scopes: readonly string[];
  lifetimeSeconds: number;
}): Promise<string> {
  const token = newSecret("cwt");
  const now = clock.now();
  const expires = new Date(now.getTime() + grant.lifetimeSeconds * 1000);
  try {
    const issued = await db.run(sql`
      INSERT INTO oauth_token (token_hash, client_id, secret_id, scopes, created_date, expires_date)
      SELECT ${hashSecret(token)}, c.id, ${grant.secretId}, ${[...grant.scopes]}::text[], ${now}::timestamptz,
        ${expires}::timestamptz
      FROM oauth_client c WHERE c.id = ${grant.clientId} AND c.disabled_date IS NULL
        AND (c.scoped_tokens OR ${[...grant.scopes]}::text[] = ${[GLOBAL_SCOPE]}::text[])
        AND (cardinality(c.allowed_scopes) = 0 OR ${[...grant.scopes]}::text[] <@ c.allowed_scopes)
      FOR SHARE OF c`);
    if (issued === 0) throw new NotFoundError("client");
  } catch (error) {
    throw isForeignKeyViolation(error) ? new NotFoundError("secret") : error;
  }
  countToken(grant.clientId);
  return token;
}

/**
 * Revokes a token of this client (RFC 7009). A token that is not the client's own is left as it is.
 *
 * @returns whether there was one to revoke
 */
export async function revokeToken(clientId: number, token: string): Promise<boolean> {
  const revoked = await db.run(sql`
    UPDATE oauth_token SET revoked_date = ${clock.now()}
    WHERE token_hash = ${hashSecret(token)} AND client_id = ${clientId} AND revoked_date IS NULL`);
  return revoked > 0;
}

/**
 * Revokes for good the tokens that a client holds and should no longer have: all where it was disabled, else those with a
 * scope that it is no longer granted. The caller has locked and changed the client in this transaction.
 *
 * @returns how many there were
 */
export async function revokeTokensOf(tx: Tx, clientId: number): Promise<number> {
  const now = clock.now();
  return tx.run(sql`
    UPDATE oauth_token t SET revoked_date = ${now}
    FROM oauth_client c WHERE c.id = ${clientId} AND t.client_id = c.id AND t.revoked_date IS NULL
      AND t.expires_date > ${now} AND (c.disabled_date IS NOT NULL
        OR (NOT c.scoped_tokens AND t.scopes <> ${[GLOBAL_SCOPE]}::text[])
        OR (cardinality(c.allowed_scopes) > 0 AND NOT t.scopes <@ c.allowed_scopes))`);
}

/** Forgets tokens that expired more than a day ago. */
export async function removeExpiredTokens(): Promise<number> {
  return db.run(sql`DELETE FROM oauth_token WHERE expires_date < ${new Date(clock.now().getTime() - 86_400_000)}`);
}

interface NewClient {
  name: string;
  organizationId: number;
  practices: readonly number[];
  scopedTokens?: boolean;
  allowedScopes?: readonly string[];
}

/**
 * Registers an API client and gives its credentials; the secret is shown this once.
 *
 * @throws ValidationError for an unknown scope, or a practice of another organization
 */
export async function createClient(input: NewClient): Promise<{ id: number; clientId: string; clientSecret: string }> {
  const problem = (input.allowedScopes ?? []).map(scopeProblem).find((found) => found !== null);
  if (problem) throw new ValidationError({ allowed_scopes: [problem] });
  const own = (await listPracticesOf(input.organizationId)).map(({ id }) => id);
  if (input.practices.some((id) => !own.includes(id))) throw new ValidationError({ practices: ["No such practice."] });
  return transaction((tx) => insertClient(tx, input));
}

/** What `createClient` inserts, checked by the caller. */
export async function insertClient(
  tx: Tx,
  input: NewClient,
): Promise<{ id: number; clientId: string; clientSecret: string }> {
  const { name, organizationId, practices, scopedTokens = false, allowedScopes = [] } = input;
  const [clientId, clientSecret, now] = [randomBytes(16).toString("hex"), newSecret("cws"), clock.now()];
  const { id } = await tx.one<Row<"oauth_client", "id">>(sql`
    INSERT INTO oauth_client (client_id, name, organization_id, scoped_tokens, allowed_scopes, created_date)
    VALUES (${clientId}, ${name}, ${organizationId}, ${scopedTokens}, ${[...allowedScopes]}, ${now}) RETURNING id`);
  await tx.run(sql`
    INSERT INTO oauth_client_secret (client_id, secret_hash, created_date)
    VALUES (${id}, ${hashSecret(clientSecret)}, ${now})`);
  await tx.run(sql`
    INSERT INTO oauth_client_practice (client_id, practice_id)
    SELECT ${id}, p.id FROM unnest(${[...practices]}::bigint[]) AS p(id)`);
  return { id, clientId, clientSecret };
}

/**
 * Adds a second secret for a rotation.
 *
 * @throws NotFoundError
 * @throws ConflictError where the client already holds two valid ones
 */
export async function addSecret(clientId: number): Promise<{ secretId: number; clientSecret: string }> {
  return transaction((tx) => addSecretTo(tx, clientId));
}

/** The same, in a transaction of the caller's. */
export async function addSecretTo(tx: Tx, clientId: number): Promise<{ secretId: number; clientSecret: string }> {
  const clientSecret = newSecret("cws");
  // Locked, so that calls at the same time count one after the other; tokens go on being issued meanwhile.
  const client = await tx.first(sql`SELECT id FROM oauth_client WHERE id = ${clientId} FOR NO KEY UPDATE`);
  if (!client) throw new NotFoundError("client");
  const now = clock.now();
  const valid = await tx.rows(sql`
    SELECT id FROM oauth_client_secret
    WHERE client_id = ${clientId} AND (expires_date IS NULL OR expires_date > ${now})`);
  if (valid.length >= 2)
    throw new ConflictError("two_secrets", "This client already has two valid secrets. Remove one first.");
  const secret = await tx.one<Row<"oauth_client_secret", "id">>(sql`
    INSERT INTO oauth_client_secret (client_id, secret_hash, created_date)
    VALUES (${clientId}, ${hashSecret(clientSecret)}, ${now}) RETURNING id`);
  return { secretId: secret.id, clientSecret };
}

/** Removes a secret, and with it every token it made. */
export async function removeSecret(clientId: number, secretId: number): Promise<void> {
  const removed = await db.run(
    kysely.deleteFrom("oauth_client_secret").where("id", "=", secretId).where("client_id", "=", clientId),
  );
  if (removed === 0) throw new NotFoundError("secret");
}

/** Disables a client: its tokens are revoked for good, and it gets no new ones. */
export async function disableClient(clientId: number): Promise<void> {
  await transaction(async (tx) => {
    const disabled = await tx.run(sql`UPDATE oauth_client SET disabled_date = ${clock.now()} WHERE id = ${clientId}`);
    if (disabled === 0) throw new NotFoundError("client");
    await revokeTokensOf(tx, clientId);
  });
}
