import { ANONYMOUS } from "@/lib/access/audit/events";
import { auditRefusal, auditSecurity } from "@/lib/access/audit/security-commands";
import type { Origin } from "@/lib/access/identity/access";
import { type ClientCredentials, findClientIdentity, findTokenFate } from "./queries";

/** Of more scopes than these, an entry says how many they are. */
const MOST_SCOPES = 5;

/** Audits what the token endpoints refused somebody who claims to be a client. An unknown client id is not kept. */
export async function auditRefusedCredentials(
  refused: { name: "token.refused" | "token.throttled"; clientId: string; cause?: string },
  origin: Origin,
): Promise<void> {
  const { name, clientId, cause = "wrong_secret" } = refused;
  const client = await findClientIdentity(clientId).catch(() => null);
  const anonymous = { ...origin, actor: ANONYMOUS };
  if (!client) return auditRefusal({ name, origin: anonymous, practices: [], cause: "unknown_client" });
  await auditRefusal({
    name,
    origin: anonymous,
    practices: client.practices,
    about: { type: "client", id: client.id, name: client.name },
    cause: client.disabled ? "client_disabled" : cause,
  });
}

/** Audits that a client asked for scopes it is not granted. */
export async function auditRefusedScopes(client: ClientCredentials, origin: Origin): Promise<void> {
  await auditRefusal({
    name: "token.refused",
    origin: by(client, origin),
    practices: client.practices,
    cause: "scope_not_granted",
  });
}

/** Audits a token before its characters are handed out. */
export async function auditIssuedToken(
  issued: { client: ClientCredentials; secretId: number; scopes: readonly string[] },
  origin: Origin,
): Promise<void> {
  const { client, secretId, scopes } = issued;
  const granted = scopes.length > MOST_SCOPES ? `${scopes.length} scopes` : scopes.join(" ");
  const facts = { secret: secretId, scopes: granted };
  await auditSecurity({ name: "token.issued", origin: by(client, origin), practices: client.practices, facts });
}

/** Audits that a client revoked a token of its own. */
export async function auditRevokedToken(client: ClientCredentials, origin: Origin): Promise<void> {
  await auditSecurity({ name: "token.revoked", origin: by(client, origin), practices: client.practices });
}

/** Audits that somebody called the API with a token that is not valid: whose it was, and why it no longer works. */
export async function auditRejectedToken(token: string | null, origin: Origin): Promise<void> {
  const anonymous = { ...origin, actor: ANONYMOUS };
  const fate = token === null ? null : await findTokenFate(token).catch(() => null);
  if (!fate) return auditRefusal({ name: "token.rejected", origin: anonymous, practices: [], cause: "unknown_token" });
  const { cause, client } = fate;
  const about = { type: "client" as const, id: client.id, name: client.name };
  await auditRefusal({ name: "token.rejected", origin: anonymous, practices: client.practices, about, cause });
}

function by({ id, name }: ClientCredentials, origin: Origin): Origin {
  return { ...origin, actor: { type: "client", id, name } };
}
