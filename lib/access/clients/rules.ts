import { GLOBAL_SCOPE, scopeProblem } from "@/lib/access/identity/scopes";

/** Returns the scopes of a token that its client may still use. A client's tokens lose the scopes that the client loses. */
export function stillAllowed(scopes: readonly string[], { scopedTokens, allowedScopes }: ScopeGrant): string[] {
  return scopes.filter(
    (scope) =>
      (scopedTokens || scope === GLOBAL_SCOPE) && (allowedScopes.length === 0 || allowedScopes.includes(scope)),
  );
}

/** The scopes that a client may request. */
export interface ScopeGrant {
  /** Takes part in the closed beta of token scopes (specification, Authentication 3). */
  scopedTokens: boolean;
  /** Empty means all. */
  allowedScopes: readonly string[];
}

/**
 * Returns the scopes of a token request, or the reason to reject it. A request gets all of its scopes or none.
 *
 * @param requested the `scope` parameter: scopes with spaces between them. Undefined means `apiv2`.
 */
export function grantScopes(
  requested: string | undefined,
  client: ScopeGrant,
): { scopes: string[] } | { problem: string } {
  const words = requested === undefined ? [GLOBAL_SCOPE] : requested.split(" ").filter((word) => word !== "");
  if (words.length === 0) return { problem: "scope is empty. Omit it for apiv2, or send the scopes you need." };
  const scopes = [...new Set(words)];
  for (const scope of scopes) {
    const problem = scopeProblem(scope);
    if (problem) return { problem };
  }
  const specific = scopes.filter((scope) => scope !== GLOBAL_SCOPE);
  if (specific.length > 0 && specific.length < scopes.length) {
    return { problem: `apiv2 can't be combined with specific scopes such as "${specific[0]}".` };
  }
  if (specific.length > 0 && !client.scopedTokens) {
    return { problem: `"${specific[0]}": this client doesn't take part in the closed beta of token scopes.` };
  }
  const denied = scopes.find((scope) => client.allowedScopes.length > 0 && !client.allowedScopes.includes(scope));
  if (denied) return { problem: `"${denied}" is not granted to this client.` };
  return { scopes };
}
