import { DomainError, DuplicateError, ValidationError } from "@/lib/platform/errors";
import { ERROR_STATUS, type Reply } from "./response";

/** The request itself is malformed, so there is no field to name (400). */
export class BadRequestError extends DomainError {
  constructor(reason: string, message: string) {
    super("invalid_request", message, { reason });
  }
}

/** The body has more bytes than the settings allow (413). */
export class PayloadTooLargeError extends DomainError {
  constructor(limitBytes: number) {
    super("payload_too_large", `The body is larger than ${limitBytes} bytes.`);
  }
}

/** The body arrives too slowly, and nothing was changed (408). */
export class RequestTimeoutError extends DomainError {
  constructor() {
    super("request_timeout", "The body did not arrive in time. Nothing was changed.");
  }
}

/** The client disconnected before the body was complete, and nothing was changed (499, only logged). */
export class ClientLeftError extends DomainError {
  constructor(cause: unknown) {
    super("client_left", "The client disconnected before the body was complete.", { cause });
  }
}

/** The endpoint does not accept the media type of the body (415). */
export class UnsupportedMediaTypeError extends DomainError {
  constructor(accepted: readonly string[]) {
    super("unsupported_media_type", `Send the body as ${accepted.join(" or ")}.`);
  }
}

/** The body is compressed, which no endpoint accepts (415). The response then names `identity` in Accept-Encoding (RFC 9110 §15.5.16). */
export class UnsupportedContentEncodingError extends DomainError {
  constructor() {
    super("unsupported_media_type", "Send the body uncompressed, without Content-Encoding.");
  }
}

/** Too many requests (429). `retryAfterSeconds` becomes Retry-After. */
export class RateLimitedError extends DomainError {
  constructor(retryAfterSeconds: number) {
    super("rate_limited", `Too many requests. Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds });
  }
}

/** A bearer token is missing, invalid or lacks a scope (RFC 6750 §3). */
export class BearerError extends Error {
  readonly status: 401 | 403;
  readonly error: "invalid_token" | "insufficient_scope" | null;
  readonly scope: string | null;

  private constructor(status: 401 | 403, error: BearerError["error"], message: string, scope: string | null = null) {
    super(message);
    this.name = "BearerError";
    this.status = status;
    this.error = error;
    this.scope = scope;
  }

  /** No credentials. The challenge has no error code (RFC 6750 §3.1). A constant, because each new error captures a stack. */
  static readonly missing = new BearerError(401, null, "Send an access token: Authorization: Bearer <ACCESS_TOKEN>.");

  static readonly invalid = new BearerError(401, "invalid_token", "The access token is unknown, expired or revoked.");

  static insufficient(scope: string): BearerError {
    return new BearerError(403, "insufficient_scope", `This needs the scope ${scope}.`, scope);
  }

  get challenge(): string {
    const parts = ['Bearer realm="api"'];
    if (this.error) parts.push(`error="${this.error}"`, `error_description="${this.message}"`);
    if (this.scope) parts.push(`scope="${this.scope}"`);
    return parts.join(", ");
  }
}

/** An OAuth error (RFC 6749 §5.2). */
export class OauthError extends Error {
  readonly status: number;
  readonly error: string;
  readonly headers: Record<string, string>;

  constructor(error: string, description: string, status = 400, headers: Record<string, string> = {}) {
    // The description may quote the request, but RFC 6749 allows only printable ASCII without `"` and `\`.
    super(description.replaceAll('"', "'").replaceAll(/[^ -[\]-~]/gu, "?"));
    this.name = "OauthError";
    this.error = error;
    this.status = status;
    this.headers = headers;
  }
}

/** Returns the reply to an error, or null if callers must not see it. Then log it and return a 500 with the request ID only. */
export function replyToError(error: unknown): (Reply & { status: number }) | null {
  if (error instanceof ValidationError) return { status: 400, body: error.fields };
  if (error instanceof DomainError) {
    const headers: Record<string, string> = {};
    if (error.retryAfterSeconds !== null) headers["retry-after"] = String(error.retryAfterSeconds);
    if (error instanceof UnsupportedContentEncodingError) headers["accept-encoding"] = "identity";
    const redirect = error instanceof DuplicateError ? { redirect: error.existingId } : {};
    const body = { detail: error.message, code: error.reason, ...redirect };
    return { status: ERROR_STATUS[error.code], body, headers };
  }
  if (error instanceof BearerError) {
    return {
      status: error.status,
      body: { detail: error.message, code: error.error ?? "not_authenticated" },
      headers: { "www-authenticate": error.challenge },
    };
  }
  if (error instanceof OauthError) {
    const body = { error: error.error, error_description: error.message };
    return { status: error.status, body, headers: { pragma: "no-cache", ...error.headers } };
  }
  return null;
}
