import { property } from "@/lib/platform/objects";

/** A failure that we detect ourselves. Its message can be shown to the client. */
export class AttemptError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AttemptError";
  }
}

const UNREACHABLE = "The address can't be reached.";
const MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Connection refused.",
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EHOSTDOWN: UNREACHABLE,
  ENETDOWN: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  // The timeout of the system, or of each address in turn. Ours has another name.
  ETIMEDOUT: UNREACHABLE,
  UND_ERR_HEADERS_OVERFLOW: "The response headers are too long.",
};

const CERTIFICATE = "The TLS certificate is not valid:";
const UNTRUSTED = `${CERTIFICATE} its issuer is not trusted or its chain is incomplete.`;
const CERTIFICATE_MESSAGES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `${CERTIFICATE} it is self-signed.`,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  CERT_HAS_EXPIRED: `${CERTIFICATE} it has expired.`,
  CERT_NOT_YET_VALID: `${CERTIFICATE} it is not valid yet.`,
  ERR_TLS_CERT_ALTNAME_INVALID: `${CERTIFICATE} it is for another host name.`,
  HOSTNAME_MISMATCH: `${CERTIFICATE} it is for another host name.`,
};

/** Messages for groups of codes that don't have their own message. */
const FAMILIES: readonly [RegExp, string][] = [
  [/CERT|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$/, `${CERTIFICATE} it can't be verified.`],
  [/^EPROTO$|^ERR_SSL_|^ERR_TLS_/, "The TLS handshake failed."],
  [/^HPE_|^HTTPParserError$|^UND_ERR_RES_/, "The response is not valid HTTP."],
];

const CUT_OFF = /^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|HPE_INVALID_EOF_STATE)$/;
const TIMED_OUT = /^(AbortError|TimeoutError)$/;

/**
 * Describes in one short sentence why an attempt failed, without internal details.
 *
 * @param attempt.status the status of the response, or null if none had arrived
 */
export function describeFailure(error: unknown, attempt: { status: number | null; timeoutMs: number }): string {
  if (error instanceof AttemptError) return error.message;
  const hasStatus = attempt.status !== null;
  const name = property(error, "name");
  const code = property(error, "code");
  if (TIMED_OUT.test(String(name))) {
    const limit = `within ${attempt.timeoutMs / 1000} s`;
    return hasStatus ? `The response was not complete ${limit}.` : `No response ${limit}.`;
  }
  const key = String(code ?? name);
  if (CUT_OFF.test(key))
    return `The connection was closed before ${hasStatus ? "the response was complete" : "a response arrived"}.`;
  return (
    MESSAGES[key] ??
    CERTIFICATE_MESSAGES[key] ??
    FAMILIES.find(([pattern]) => pattern.test(key))?.[1] ??
    "The request failed."
  );
}

/** Describes the status of a failed response; null for 2xx. Does not name the target of a redirect, which can contain secrets. */
export function statusProblem(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `HTTP ${status}: redirects are not followed.` : `HTTP ${status}.`;
}
