import { ANONYMOUS } from "@/lib/access/audit/events";
import { auditRejection, auditSecurity, auditSecurityIn } from "@/lib/access/audit/security-commands";
import type { Origin } from "@/lib/access/identity/access";
import type { Tx } from "@/lib/platform/db/transaction";
import { type ClientCredentials, findClientIdentity, findInvalidToken, type IssuedToken } from "./queries";

/** Entries list up to this many scopes, and otherwise say how many there are. */
const MAX_SCOPES = 5;

/** Audits credentials that a token endpoint rejected. An unknown client ID is not stored. */
export async function auditRejectedCredentials(
  rejected: { name: "token.refused" | "token.throttled"; clientId: string; cause?: string },
  origin: Origin,
): Promise<void> {
  const { name, clientId, cause = "wrong_secret" } = rejected;
  const client = await findClientIdentity(clientId).catch(() => null);
  const anonymous = { ...origin, actor: ANONYMOUS };
  if (!client) return auditRejection({ name, origin: anonymous, practices: [], cause: "unknown_client" });
  await auditRejection({
    name,
    origin: anonymous,
    practices: client.practices,
    about: { type: "client", id: client.id, name: client.name },
    cause: client.disabled ? "client_disabled" : cause,
  });
}

/** Audits a token request with scopes that the client is not allowed to use. */
export async function auditRejectedScopes(client: ClientCredentials, origin: Origin): Promise<void> {
  await auditRejection({
    name: "token.refused",
    origin: asClient(client, origin),
    practices: client.practices,
    cause: "scope_not_granted",
  });
}

/** Audits an issued token. Call it before sending the token. */
export async function auditIssuedToken(
  issued: Omit<IssuedToken, "token"> & { scopes: readonly string[] },
  origin: Origin,
): Promise<void> {
  const { client, secretId, scopes } = issued;
  const granted = scopes.length > MAX_SCOPES ? `${scopes.length} scopes` : scopes.join(" ");
  const facts = { secret: secretId, scopes: granted };
  await auditSecurity({ name: "token.issued", origin: asClient(client, origin), practices: client.practices, facts });
}

/** Audits that a client revoked one of its tokens, in the transaction that revokes it. */
export async function auditRevokedToken(tx: Tx, client: IssuedToken["client"], origin: Origin): Promise<void> {
  await auditSecurityIn(tx, [{ name: "token.revoked", origin: asClient(client, origin), practices: client.practices }]);
}

/** Audits a call with an invalid token, and which client the token belonged to if it is known. */
export async function auditRejectedToken(token: string | null, origin: Origin): Promise<void> {
  const anonymous = { ...origin, actor: ANONYMOUS };
  const found = token === null ? null : await findInvalidToken(token).catch(() => null);
  if (!found)
    return auditRejection({ name: "token.rejected", origin: anonymous, practices: [], cause: "unknown_token" });
  const { cause, client } = found;
  const about = { type: "client" as const, id: client.id, name: client.name };
  await auditRejection({ name: "token.rejected", origin: anonymous, practices: client.practices, about, cause });
}

function asClient({ id, name }: Pick<ClientCredentials, "id" | "name">, origin: Origin): Origin {
  return { ...origin, actor: { type: "client", id, name } };
}
