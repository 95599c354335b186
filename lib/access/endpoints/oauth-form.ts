import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { auditRefusedCredentials } from "@/lib/access/clients/audit-commands";
import { issueToken, verifyClient } from "@/lib/access/clients/commands";
import type { ClientCredentials } from "@/lib/access/clients/queries";
import type { Origin } from "@/lib/access/identity/origin";
import { DomainError, NotFoundError } from "@/lib/platform/errors";
import { type BodyReader, decodeUtf8, mediaType } from "@/lib/platform/http/body";
import { countWrongSecret, requireSecretTries } from "@/lib/platform/http/client-limits";
import { OauthError } from "@/lib/platform/http/errors";
import { readBytes } from "@/lib/platform/http/read-bytes";

const MAX_FORM_BYTES = 64 * 1024;
/** Ours have 32 characters. */
const LONGEST_CLIENT_ID = 100;

/**
 * The form of an OAuth endpoint: each parameter once, one without a value as if it were left out (RFC 6749 §3.2), errors in
 * the form of §5.2. The shape of the form is for the API description alone.
 */
export function oauthForm(schema: z.ZodType): BodyReader<Map<string, string>> {
  return { form: { mediaType: FORM, schema }, read: readForm };
}

const FORM = "application/x-www-form-urlencoded";

async function readForm(request: Request, incoming?: IncomingMessage) {
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
  return { value: form, fingerprint: "" };
}

/**
 * The client of an OAuth endpoint, from HTTP Basic or from the form, not both (RFC 6749 §2.3.1). Wrong secrets are
 * throttled by client id and address, and audited.
 *
 * @throws OauthError invalid_request, invalid_client (401)
 * @throws RateLimitedError
 */
export async function requireClient(call: {
  form: Map<string, string>;
  authorization: string | null;
  origin: Origin;
}): Promise<{ client: ClientCredentials; secretId: number }> {
  const { form, authorization, origin } = call;
  const { clientId, clientSecret } = credentialsOf(form, authorization);
  // No client has an id this long: all of them count as one, and none is looked for.
  const isPlausible = clientId.length <= LONGEST_CLIENT_ID;
  const tried = { clientId: isPlausible ? clientId : "", address: origin.address ?? "" };
  await requireSecretTries(tried).catch(async (error: unknown) => {
    await auditRefusedCredentials({ name: "token.throttled", clientId: tried.clientId }, origin);
    throw error;
  });
  const verified = isPlausible ? await verifyClient(clientId, clientSecret) : null;
  if (!verified) {
    await countWrongSecret(tried);
    await auditRefusedCredentials({ name: "token.refused", clientId: tried.clientId }, origin);
    throw unknownClient();
  }
  return verified;
}

/**
 * Makes the token that was granted; a secret that was removed since `requireClient` checked it is a wrong one, and so is a
 * client that was disabled.
 *
 * @throws OauthError invalid_client (401)
 */
export async function grantToken(grant: Parameters<typeof issueToken>[0]): Promise<string> {
  return issueToken(grant).catch((error: unknown) => {
    throw error instanceof NotFoundError ? unknownClient() : error;
  });
}

function credentialsOf(form: Map<string, string>, authorization: string | null) {
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

/** Each half of HTTP Basic is form-encoded (RFC 6749 §2.3.1); null where it is not, or holds what no database keeps. */
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
    return decodeUtf8(await readBytes(request, { limitBytes: MAX_FORM_BYTES, incoming }));
  } catch (error) {
    if (error instanceof DomainError && error.code === "invalid_request") throw invalidRequest(error.message);
    throw error;
  }
}

export function invalidRequest(description: string): OauthError {
  return new OauthError("invalid_request", description);
}

/** One answer for both, so that nobody learns which client ids exist. */
function unknownClient(): OauthError {
  return invalidClient("Unknown client or wrong secret.");
}

function invalidClient(description: string): OauthError {
  return new OauthError("invalid_client", description, 401, { "www-authenticate": 'Basic realm="oauth2"' });
}
