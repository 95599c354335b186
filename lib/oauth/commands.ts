import { randomBytes } from "node:crypto";
import { clock } from "@/lib/clock";
import { prisma } from "@/lib/db/prisma";
import { db, sql } from "@/lib/db/sql";
import { ConflictError, NotFoundError, ValidationError } from "@/lib/errors";
import { listPracticesOf } from "@/lib/practices/queries";
import { type ClientCredentials, findClientCredentials } from "./queries";
import { scopeProblem } from "./scopes";
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

/** Makes an access token and gives its characters: the only time anyone sees them. */
export async function issueToken(grant: {
  clientId: number;
  secretId: number;
  scopes: readonly string[];
  lifetimeSeconds: number;
}): Promise<string> {
  const token = newSecret("cwt");
  const now = clock.now();
  const expires = new Date(now.getTime() + grant.lifetimeSeconds * 1000);
  await db.run(sql`
    INSERT INTO oauth_token (token_hash, client_id, secret_id, scopes, created_date, expires_date)
    VALUES (${hashSecret(token)}, ${grant.clientId}, ${grant.secretId}, ${[...grant.scopes]}, ${now}, ${expires})`);
  return token;
}

/** Revokes a token of this client (RFC 7009). A token that is not the client's own is left as it is. */
export async function revokeToken(clientId: number, token: string): Promise<void> {
  await db.run(sql`
    UPDATE oauth_token SET revoked_date = ${clock.now()}
    WHERE token_hash = ${hashSecret(token)} AND client_id = ${clientId} AND revoked_date IS NULL`);
}

/** Forgets tokens that expired more than a day ago. */
export async function removeExpiredTokens(): Promise<number> {
  return db.run(sql`DELETE FROM oauth_token WHERE expires_date < ${new Date(clock.now().getTime() - 86_400_000)}`);
}

/**
 * Registers an API client and gives its credentials; the secret is shown this once.
 *
 * @throws ValidationError for an unknown scope, or a practice of another organisation
 */
export async function createClient(input: {
  name: string;
  organisationId: number;
  practices: readonly number[];
  scopedTokens?: boolean;
  allowedScopes?: readonly string[];
}): Promise<{ id: number; clientId: string; clientSecret: string }> {
  const problem = (input.allowedScopes ?? []).map(scopeProblem).find((found) => found !== null);
  if (problem) throw new ValidationError({ allowed_scopes: [problem] });
  const own = (await listPracticesOf(input.organisationId)).map(({ id }) => id);
  if (input.practices.some((id) => !own.includes(id))) throw new ValidationError({ practices: ["No such practice."] });
  const clientSecret = newSecret("cws");
  const client = await prisma().oauthClient.create({
    data: {
      client_id: randomBytes(16).toString("hex"),
      name: input.name,
      organisation_id: input.organisationId,
      scoped_tokens: input.scopedTokens ?? false,
      allowed_scopes: [...(input.allowedScopes ?? [])],
      created_date: clock.now(),
      secrets: { create: { secret_hash: new Uint8Array(hashSecret(clientSecret)), created_date: clock.now() } },
      practices: { create: input.practices.map((practice_id) => ({ practice_id })) },
    },
  });
  return { id: Number(client.id), clientId: client.client_id, clientSecret };
}

/**
 * Adds a second secret for a rotation.
 *
 * @throws ConflictError where the client already holds two valid ones
 */
export async function addSecret(clientId: number): Promise<{ secretId: number; clientSecret: string }> {
  const now = clock.now();
  const valid = await prisma().oauthClientSecret.count({
    where: { client_id: clientId, OR: [{ expires_date: null }, { expires_date: { gt: now } }] },
  });
  if (valid >= 2)
    throw new ConflictError("two_secrets", "This client already has two valid secrets. Remove one first.");
  const clientSecret = newSecret("cws");
  const secret = await prisma().oauthClientSecret.create({
    data: { client_id: clientId, secret_hash: new Uint8Array(hashSecret(clientSecret)), created_date: now },
  });
  return { secretId: Number(secret.id), clientSecret };
}

/** Removes a secret, and with it every token it made. */
export async function removeSecret(clientId: number, secretId: number): Promise<void> {
  const removed = await prisma().oauthClientSecret.deleteMany({ where: { id: secretId, client_id: clientId } });
  if (removed.count === 0) throw new NotFoundError("secret");
}

/** Disables a client: its tokens stop working, and it gets no new ones. */
export async function disableClient(clientId: number): Promise<void> {
  const disabled = await prisma().oauthClient.updateMany({
    where: { id: clientId },
    data: { disabled_date: clock.now() },
  });
  if (disabled.count === 0) throw new NotFoundError("client");
}
