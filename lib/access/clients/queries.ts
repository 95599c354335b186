import { type Access, type ClientAccess, mintAccess } from "@/lib/access/identity/access";
import { GLOBAL_SCOPE } from "@/lib/access/identity/scopes";
import { clock } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { db, inList, type Sql, sql } from "@/lib/platform/db/sql";
import { stillAllowed } from "./rules";
import { hashSecret, type SecretHash } from "./secrets";

type TokenRow = Row<
  "oauth_client",
  "id" | "client_id" | "name" | "organization_id" | "scoped_tokens" | "allowed_scopes"
> &
  Row<"oauth_token", "scopes" | "created_date" | "expires_date"> & { practices: number[] };

/** A valid token with the access it gives. */
export interface ValidToken {
  access: ClientAccess;
  publicClientId: string;
  createdDate: string;
  expiresDate: string;
}

/** Returns a subquery for the practices of a client, as JSON. */
export function practicesOf(clientId: Sql): Sql {
  return sql`(SELECT coalesce(json_agg(g.practice_id ORDER BY g.practice_id), '[]') FROM oauth_client_practice g
    WHERE g.client_id = ${clientId})`;
}
const PRACTICES = practicesOf(sql`c.id`);

/**
 * Returns a token with the scopes that its client may still use. Returns null if the token is unknown, expired or revoked, its client
 * disabled, or its secret expired.
 */
export async function findValidToken(token: string): Promise<ValidToken | null> {
  // SQL, because most calls of the API check a token.
  const now = clock.now();
  const row = await db.first<TokenRow>(sql`
    SELECT c.id, c.client_id, c.name, c.organization_id, c.scoped_tokens, c.allowed_scopes, t.scopes,
      t.created_date, t.expires_date, ${PRACTICES} AS practices
    FROM oauth_token t JOIN oauth_client c ON c.id = t.client_id JOIN oauth_client_secret s ON s.id = t.secret_id
    WHERE t.token_hash = ${hashSecret(token)} AND t.revoked_date IS NULL AND t.expires_date > ${now}
      AND c.disabled_date IS NULL AND (s.expires_date IS NULL OR s.expires_date > ${now})`);
  if (!row) return null;
  const access = mintAccess({
    clientId: row.id,
    organizationId: row.organization_id,
    practices: row.practices,
    scopes: stillAllowed(row.scopes, { scopedTokens: row.scoped_tokens, allowedScopes: row.allowed_scopes }),
    actor: { type: "client" as const, id: row.id, name: row.name },
  });
  return { access, publicClientId: row.client_id, createdDate: row.created_date, expiresDate: row.expires_date };
}

/** An API client as audit entries name it. */
export interface ClientIdentity extends Row<"oauth_client", "id" | "name"> {
  disabled: boolean;
  practices: number[];
}

/** Finds a client by its public ID, even if it is disabled. */
export async function findClientIdentity(clientId: string): Promise<ClientIdentity | null> {
  return db.first<ClientIdentity>(sql`
    SELECT c.id, c.name, c.disabled_date IS NOT NULL AS disabled, ${PRACTICES} AS practices
    FROM oauth_client c WHERE c.client_id = ${clientId}`);
}

/** Finds the client of an invalid token and the cause. Returns null if the token is unknown. */
export async function findInvalidToken(token: string): Promise<{ client: ClientIdentity; cause: string } | null> {
  const now = clock.now();
  const row = await db.first<ClientIdentity & { cause: string }>(sql`
    SELECT c.id, c.name, c.disabled_date IS NOT NULL AS disabled, ${PRACTICES} AS practices,
      CASE WHEN c.disabled_date IS NOT NULL THEN 'client_disabled' WHEN t.revoked_date IS NOT NULL THEN 'token_revoked'
        WHEN t.expires_date <= ${now} THEN 'token_expired' ELSE 'secret_expired' END AS cause
    FROM oauth_token t JOIN oauth_client c ON c.id = t.client_id WHERE t.token_hash = ${hashSecret(token)}`);
  if (!row) return null;
  const { cause, ...client } = row;
  return { client, cause };
}

/** A token that was issued, for its audit entry. */
export interface IssuedToken {
  token: string;
  secretId: number;
  client: Pick<ClientIdentity, "id" | "name" | "practices">;
}

/** A client with its allowed scopes and valid secrets, for the token endpoint. */
export interface ClientCredentials extends Row<"oauth_client", "id" | "name" | "scoped_tokens" | "allowed_scopes"> {
  practices: number[];
  secrets: { id: number; hash: SecretHash }[];
}

type CredentialsRow = Omit<ClientCredentials, "secrets"> &
  Row<"oauth_client_secret", "secret_hash"> & { secret_id: Row<"oauth_client_secret">["id"] };

/** Finds an enabled client by its public ID. */
export async function findClientCredentials(clientId: string): Promise<ClientCredentials | null> {
  const now = clock.now();
  const rows = await db.rows<CredentialsRow>(sql`
    SELECT c.id, c.name, ${PRACTICES} AS practices, c.scoped_tokens, c.allowed_scopes, s.id AS secret_id, s.secret_hash
    FROM oauth_client c JOIN oauth_client_secret s ON s.client_id = c.id
    WHERE c.client_id = ${clientId} AND c.disabled_date IS NULL
      AND (s.expires_date IS NULL OR s.expires_date > ${now})`);
  const first = rows[0];
  if (!first) return null;
  return { ...first, secrets: rows.map((row) => ({ id: row.secret_id, hash: row.secret_hash })) };
}

/** An API client with the IDs of its secrets. */
export interface ListedClient extends Row<"oauth_client", "id" | "client_id" | "name" | "scoped_tokens"> {
  practices: number[];
  secrets: number[];
}

/** Lists the enabled API clients of an organization by ID. */
export async function listClients(organizationId: number): Promise<ListedClient[]> {
  return db.rows<ListedClient>(sql`
    SELECT c.id, c.client_id, c.name, c.scoped_tokens, ${PRACTICES} AS practices,
      (SELECT coalesce(json_agg(s.id ORDER BY s.id), '[]') FROM oauth_client_secret s WHERE s.client_id = c.id) AS secrets
    FROM oauth_client c WHERE c.organization_id = ${organizationId} AND c.disabled_date IS NULL ORDER BY c.id`);
}

/** A condition: the client `c` is enabled and may use the global scope, which subscriptions require. */
const MAY_RECEIVE = sql`c.disabled_date IS NULL
  AND (cardinality(c.allowed_scopes) = 0 OR ${GLOBAL_SCOPE} = ANY(c.allowed_scopes))`;

/** Returns a condition: the client may receive events and has access to the practice (invariant 4). */
export function clientMayReach(clientId: Sql, practiceId: number | Sql): Sql {
  return sql`EXISTS (SELECT FROM oauth_client_practice granted JOIN oauth_client c ON c.id = granted.client_id
    WHERE granted.client_id = ${clientId} AND granted.practice_id = ${practiceId} AND ${MAY_RECEIVE})`;
}

/** Returns a subquery for the name of a client. */
export function clientNameOf(clientId: Sql): Sql {
  return sql`(SELECT named.name FROM oauth_client named WHERE named.id = ${clientId})`;
}

/** A client that may receive events, with the access for reading the records to deliver. */
export interface ReceivingClient {
  publicClientId: string;
  access: Access;
}

/** Finds those of the clients that may receive events, by ID. */
export async function findReceivingClients(ids: readonly number[]): Promise<Map<number, ReceivingClient>> {
  const rows = await db.rows<Row<"oauth_client", "id" | "client_id" | "name"> & { practices: number[] }>(sql`
    SELECT c.id, c.client_id, c.name, ${PRACTICES} AS practices
    FROM oauth_client c WHERE ${inList(sql`c.id`, ids)} AND ${MAY_RECEIVE}`);
  return new Map(
    rows.map(({ id, client_id, name, practices }) => {
      const access = mintAccess({ practices, actor: { type: "client" as const, id, name } });
      return [id, { publicClientId: client_id, access }];
    }),
  );
}

/** Selects the clients with access to a practice among these clients: `id`. */
export function selectClientIds(practiceId: number, ids: readonly number[]): Sql {
  return sql`SELECT c.client_id AS id FROM oauth_client_practice c
    WHERE c.practice_id = ${practiceId} AND ${inList(sql`c.client_id`, ids)}`;
}
