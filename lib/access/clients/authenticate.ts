import type { ClientAccess } from "@/lib/access/identity/access";
import type { Origin } from "@/lib/access/identity/origin";
import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { BearerError } from "@/lib/platform/http/errors";
import { processWide } from "@/lib/platform/process-wide";
import { auditRejectedToken } from "./audit-commands";
import { findValidToken, type ValidToken } from "./queries";

interface CachedToken {
  token: ValidToken;
  /** Clock time in ms until which the database need not be asked again. */
  freshUntil: number;
}

const CACHE_SIZE = 10_000;
/**
 * The caller's access from its Authorization header (RFC 6750 §2.1). A look-up is kept for TOKEN_CACHE_MS, at most 5 s: so
 * long may a revocation take to reach a process.
 *
 * A token that is not valid is audited, with the `origin` of the request, unless `count` says that there were too many.
 *
 * @param count counts a call without a valid token; throws if its address has sent too many
 * @throws BearerError 401 for a missing, malformed, unknown, expired or revoked token
 */
export async function authenticate(
  authorization: string | null,
  origin: Origin,
  count: () => Promise<void>,
): Promise<ClientAccess> {
  // Another scheme is no attempt at a token: the challenge alone tells what is wanted (RFC 6750 §3.1).
  if (!/^Bearer( |$)/i.test(authorization ?? "")) {
    await count();
    throw BearerError.missing;
  }
  const token = /^Bearer +([A-Za-z0-9._~+/=-]{1,512})$/i.exec(authorization ?? "")?.[1];
  if (!token) {
    await count();
    await auditRejectedToken(null, origin);
    throw BearerError.invalid;
  }
  const now = clock.now().getTime();
  const cached = cache().get(token);
  if (cached && cached.freshUntil > now && Date.parse(cached.token.expiresDate) > now) return cached.token.access;
  const found = await findValidToken(token);
  cache().delete(token);
  if (!found) {
    await count();
    await auditRejectedToken(token, origin);
    throw BearerError.invalid;
  }
  remember(token, { token: found, freshUntil: now + config().TOKEN_CACHE_MS });
  return found.access;
}

/** Makes this process forget a token at once, as where it revoked the token itself. */
export function forgetToken(token: string): void {
  cache().delete(token);
}

/** The same of all tokens of a client, as where it was disabled. */
export function forgetTokensOf(clientId: number): void {
  for (const [token, { token: found }] of cache()) if (found.access.clientId === clientId) cache().delete(token);
}

function cache(): Map<string, CachedToken> {
  return processWide("crosswalkTokens", () => new Map());
}

/** A Map keeps the order of insertion: the oldest entry is the first. */
function remember(token: string, entry: CachedToken): void {
  const oldest = cache().size >= CACHE_SIZE ? cache().keys().next().value : undefined;
  if (oldest !== undefined) cache().delete(oldest);
  cache().set(token, entry);
}
