import { GLOBAL_SCOPE, scopeProblem } from "@/lib/access/identity/scopes";

/**
 * Those of a token's scopes that its client is still granted: what was taken from the client is taken from its tokens.
 */
export function grantedNow(scopes: readonly string[], { scopedTokens, allowedScopes }: ScopeGrant): string[] {
  return scopes.filter(
    (scope) =>
      (scopedTokens || scope === GLOBAL_SCOPE) && (allowedScopes.length === 0 || allowedScopes.includes(scope)),
  );
}

/** What a client may be granted. */
export interface ScopeGrant {
  /** In the closed beta of token scopes (specification, Authentication 3). */
  scopedTokens: boolean;
  /** Scopes it may ask for; empty means every one. */
  allowedScopes: readonly string[];
}

/**
 * The scopes a token request gets, or why it gets none (design §3): a request is granted whole or refused, never narrowed.
 *
 * @param requested the `scope` parameter: words separated by single spaces; absent means `apiv2`
 */
export function grantScopes(
  requested: string | undefined,
  client: ScopeGrant,
): { scopes: string[] } | { problem: string } {
  const words = requested === undefined ? [GLOBAL_SCOPE] : requested.split(" ").filter((word) => word !== "");
  if (words.length === 0) return { problem: "scope is empty: leave it out for apiv2, or name scopes." };
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
    return { problem: `"${specific[0]}": token scopes are a closed beta this client is not part of.` };
  }
  const refused = scopes.find((scope) => client.allowedScopes.length > 0 && !client.allowedScopes.includes(scope));
  if (refused) return { problem: `"${refused}" is not granted to this client.` };
  return { scopes };
}
