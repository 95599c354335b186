/**
 * Domain errors: a stable code, a message fit for the caller, and a private cause for the log.
 * lib/platform/http/response.ts (ERROR_STATUS) maps codes to statuses; domain code never knows a status.
 */
export type ErrorCode =
  | "validation_failed"
  | "invalid_request"
  | "not_signed_in"
  | "forbidden"
  | "not_found"
  | "gone"
  | "client_left"
  | "conflict"
  | "version_conflict"
  | "version_required"
  | "request_timeout"
  | "payload_too_large"
  | "unsupported_media_type"
  | "business_rule"
  | "rate_limited"
  | "overloaded"
  | "unavailable";

export class DomainError extends Error {
  /** Its message can quote what users sent, so the log leaves it out. */
  readonly isForUsers = true;
  readonly code: ErrorCode;
  /** The `code` of the response, more specific than the class. */
  readonly reason: string;
  /** If the cause is temporary: when to retry. Nothing was written. */
  readonly retryAfterSeconds: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    options: { reason?: string; cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.reason = options.reason ?? code;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** Messages by field, nested like the body: `{"insurances": [{}, {"rank": ["…"]}]}`. */
export type FieldErrors = { [field: string]: string[] | FieldErrors | FieldErrors[] };

/** The input is invalid. */
export class ValidationError extends DomainError {
  /** Messages by field, or by entry if the body is a list. */
  readonly fields: FieldErrors | FieldErrors[];

  constructor(fields: FieldErrors | FieldErrors[]) {
    super("validation_failed", "The input is not valid.");
    this.fields = fields;
  }
}

/**
 * Returns the messages for IDs in a body whose records are absent or inaccessible, which look the same (invariant 4). Clients
 * recognize this wording.
 */
export function absentRecords(...ids: readonly number[]): string[] {
  return [...new Set(ids)].map((id) => `Invalid pk "${id}" - object does not exist.`);
}

/** @throws ValidationError with all problems at once, if there are any */
export function throwIfInvalid(...problems: (FieldErrors | null)[]): void {
  const found: FieldErrors = Object.assign({}, ...problems);
  if (Object.keys(found).length > 0) throw new ValidationError(found);
}

/** There is no session, or it has ended (401). */
export class NotSignedInError extends DomainError {
  constructor() {
    super("not_signed_in", "You are signed out. Sign in again; nothing you typed is lost.");
  }
}

/** The user's role does not allow it (403). */
export class ForbiddenError extends DomainError {
  constructor(message: string) {
    super("forbidden", message);
  }
}

/** The record does not exist or belongs to another practice. Both look the same (invariant 4). */
export class NotFoundError extends DomainError {
  constructor(what = "record") {
    super("not_found", `No such ${what}.`);
  }
}

/** The record was deleted permanently (410). */
export class GoneError extends DomainError {
  constructor(what = "record") {
    super("gone", `This ${what} was deleted permanently.`);
  }
}

/** The current state does not allow it (409). */
export class ConflictError extends DomainError {
  constructor(reason: string, message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super("conflict", message, { reason, ...options });
  }
}

/** The record to create already exists (409). The response names it as `redirect`. */
export class DuplicateError extends ConflictError {
  readonly existingId: number;

  constructor(reason: string, message: string, existingId: number) {
    super(reason, message);
    this.existingId = existingId;
  }
}

/** The caller changed an older version (412). */
export class VersionConflictError extends DomainError {
  constructor(currentVersion: number) {
    super("version_conflict", `The record has changed: its version is now ${currentVersion}. Read it again and retry.`);
  }
}

/** The write requires If-Match (428). */
export class VersionRequiredError extends DomainError {
  constructor() {
    super("version_required", "Send If-Match with the version you saw. Nothing was saved.");
  }
}

/** The request is valid but breaks a business rule (422). */
export class BusinessRuleError extends DomainError {
  constructor(reason: string, message: string) {
    super("business_rule", message, { reason });
  }
}

/** The digest of {@link OverloadedError}. */
export const BUSY = "busy";

/** No connection or lock in time. Nothing was changed, and the caller can retry (503). */
export class OverloadedError extends DomainError {
  /** All that a page in the browser learns of an error. Next adds a hash to other errors. */
  readonly digest = BUSY;

  constructor(
    cause?: unknown,
    message = "The service is busy; nothing was changed. Try again shortly.",
    options: { reason?: string; retryAfterSeconds?: number } = { retryAfterSeconds: 1 },
  ) {
    super("overloaded", message, { cause, ...options });
  }
}

/** The connection was lost during the commit, so it is unknown whether the change was made (503). */
export class OutcomeUnknownError extends OverloadedError {
  constructor(cause?: unknown) {
    const message = "The connection was lost while saving: the change may have been made. Look before you retry.";
    super(cause, message, { reason: "outcome_unknown" });
  }
}
