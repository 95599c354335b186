import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { auditRejectedCredentials, auditRejectedScopes } from "@/lib/access/clients/audit-commands";
import { issueToken, issueTokenFor, verifyClient } from "@/lib/access/clients/commands";
import type { ClientCredentials, IssuedToken } from "@/lib/access/clients/queries";
import { grantScopes } from "@/lib/access/clients/rules";
import type { Origin } from "@/lib/access/identity/access";
import { DomainError, NotFoundError } from "@/lib/platform/errors";
import { type BodyReader, decodeUtf8, mediaType, readBytes, requireUncompressed } from "@/lib/platform/http/body";
import { countWrongSecret, requireSecretAttempts } from "@/lib/platform/http/client-limits";
import { OauthError } from "@/lib/platform/http/errors";

const MAX_FORM_BYTES = 64 * 1024;
/** Client IDs have 32 characters. */
/** Printable ASCII (RFC 6749, appendix A.1) of a reasonable length. */
const CLIENT_ID = /^[\x20-\x7e]{1,100}$/;

/**
 * Reads the form of an OAuth endpoint. Repeated parameters are rejected and empty ones ignored (RFC 6749 §3.2), with errors in the form
 * of §5.2.
 *
 * @param schema for the API description only
 */
export function oauthForm(schema: z.ZodType): BodyReader<Map<string, string>> {
  return { form: { mediaType: FORM, schema }, read: readForm };
}

const FORM = "application/x-www-form-urlencoded";

async function readForm(request: Request, { incoming }: { incoming?: IncomingMessage | undefined } = {}) {
  if (mediaType(request) !== FORM) {
    throw invalidRequest("Send the parameters as application/x-www-form-urlencoded.");
  }
  const text = await readText(request, incoming);
  if (/%(?![0-9a-f]{2})/i.test(text)) throw invalidRequest("The form is not correctly percent-encoded.");
  const form = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (seen.has(name)) throw invalidRequest(`${name} was sent more than once.`);
    if (value.includes("\u0000") || value.includes("\ufffd")) throw invalidRequest(`${name} is not valid text.`);
    seen.add(name);
    if (value !== "") form.set(name, value);
  }
  return { value: form, fingerprint: () => "" };
}

/** A request of a client to an OAuth endpoint. */
interface ClientRequest {
  form: Map<string, string>;
  authorization: string | null;
  origin: Origin;
}

/** Credentials that were sent, and what counts as one attempt to guess them. */
interface Attempt {
  clientId: string;
  clientSecret: string;
  /** Other IDs are never valid. They share one limit and cause no lookup. */
  isPlausible: boolean;
  counted: { clientId: string; address: string };
}

/**
 * Authenticates the client of an OAuth endpoint by HTTP Basic or by the form, but not both (RFC 6749 §2.3.1). Wrong secrets are limited
 * by client ID and address, and audited.
 *
 * @throws OauthError invalid_request, invalid_client (401)
 * @throws RateLimitedError
 */
export async function requireClient(request: ClientRequest): Promise<{ client: ClientCredentials; secretId: number }> {
  return verifyAttempt(await readAttempt(request), request.origin);
}

/** @throws RateLimitedError if too many wrong secrets were sent, which is audited */
async function readAttempt({ form, authorization, origin }: ClientRequest): Promise<Attempt> {
  const { clientId, clientSecret } = parseCredentials(form, authorization);
  const isPlausible = CLIENT_ID.test(clientId);
  const counted = { clientId: isPlausible ? clientId : "", address: origin.address ?? "" };
  await requireSecretAttempts(counted).catch(async (error: unknown) => {
    await auditRejectedCredentials({ name: "token.throttled", clientId: counted.clientId }, origin);
    throw error;
  });
  return { clientId, clientSecret, isPlausible, counted };
}

async function verifyAttempt({ clientId, clientSecret, isPlausible, counted }: Attempt, origin: Origin) {
  const verified = isPlausible ? await verifyClient(clientId, clientSecret) : null;
  if (verified) return verified;
  await countWrongSecret(counted);
  await auditRejectedCredentials({ name: "token.refused", clientId: counted.clientId }, origin);
  throw unknownClient();
}

/** Any client that may use all scopes. */
const UNLIMITED = { scopedTokens: true, allowedScopes: [] };

/**
 * Authenticates the client and issues a token with the scopes it requests. Almost every request succeeds, so the credentials and scopes are
 * checked by the statement that stores the token. Only if it stores none are they checked one by one, to name the reason.
 *
 * @throws OauthError invalid_request, invalid_client (401), invalid_scope
 * @throws RateLimitedError
 */
export async function requireToken(
  request: ClientRequest,
  lifetimeSeconds: number,
): Promise<IssuedToken & { scopes: string[] }> {
  const attempt = await readAttempt(request);
  const requested = request.form.get("scope");
  const possible = grantScopes(requested, UNLIMITED);
  if (attempt.isPlausible && "scopes" in possible) {
    const issued = await issueTokenFor(attempt, { scopes: possible.scopes, lifetimeSeconds });
    if (issued) return { scopes: possible.scopes, ...issued };
  }
  const { client, secretId } = await verifyAttempt(attempt, request.origin);
  const granted = grantScopes(requested, { scopedTokens: client.scoped_tokens, allowedScopes: client.allowed_scopes });
  if ("problem" in granted) {
    await auditRejectedScopes(client, request.origin);
    throw new OauthError("invalid_scope", granted.problem);
  }
  const { scopes } = granted;
  return {
    token: await grantToken({ clientId: client.id, secretId, scopes, lifetimeSeconds }),
    client,
    secretId,
    scopes,
  };
}

/**
 * Issues the token. If the secret was removed or the client disabled since `requireClient`, the credentials are invalid.
 *
 * @throws OauthError invalid_client (401)
 */
export async function grantToken(grant: Parameters<typeof issueToken>[0]): Promise<string> {
  return issueToken(grant).catch((error: unknown) => {
    throw error instanceof NotFoundError ? unknownClient() : error;
  });
}

function parseCredentials(form: Map<string, string>, authorization: string | null) {
  const basic = /^Basic +(.+)$/i.exec(authorization ?? "")?.[1];
  const inForm = form.has("client_id") || form.has("client_secret");
  if (basic !== undefined) {
    if (form.has("client_secret")) throw invalidRequest("Send the credentials in the form or as HTTP Basic, not both.");
    const [id, secret] = decodeBasic(basic);
    if (form.has("client_id") && form.get("client_id") !== id) {
      throw invalidRequest("client_id differs from the one in the Authorization header.");
    }
    return { clientId: id, clientSecret: secret };
  }
  if (!inForm) throw invalidClient("Send client_id and client_secret.");
  const clientId = form.get("client_id");
  const clientSecret = form.get("client_secret");
  if (!clientId) throw invalidRequest("client_id is missing.");
  if (!clientSecret) throw invalidRequest("client_secret is missing.");
  return { clientId, clientSecret };
}

function decodeBasic(encoded: string): [string, string] {
  const text = Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  const id = decodePart(text.slice(0, Math.max(0, colon)));
  const secret = decodePart(text.slice(colon + 1));
  if (!id || secret === null) throw invalidClient("The Authorization header is not valid HTTP Basic.");
  return [id, secret];
}

/** Decodes one half of HTTP Basic (RFC 6749 §2.3.1). Returns null if it is not form-encoded or contains NUL. */
function decodePart(part: string): string | null {
  try {
    const text = decodeURIComponent(part.replaceAll("+", "%20"));
    return text.includes("\u0000") ? null : text;
  } catch {
    return null;
  }
}

async function readText(request: Request, incoming: IncomingMessage | undefined): Promise<string> {
  try {
    requireUncompressed(request);
    return decodeUtf8(await readBytes(request, { limitBytes: MAX_FORM_BYTES, incoming }));
  } catch (error) {
    const isAboutForm =
      error instanceof DomainError && (error.code === "invalid_request" || error.code === "unsupported_media_type");
    throw isAboutForm ? invalidRequest(error.message) : error;
  }
}

export function invalidRequest(description: string): OauthError {
  return new OauthError("invalid_request", description);
}

/** Returns the same error for unknown IDs and wrong secrets, so that it does not reveal which client IDs exist. */
function unknownClient(): OauthError {
  return invalidClient("Unknown client or wrong secret.");
}

function invalidClient(description: string): OauthError {
  return new OauthError("invalid_client", description, 401, { "www-authenticate": 'Basic realm="oauth2"' });
}
