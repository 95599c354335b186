/**
 * Domain errors: a stable code, a message fit for the caller, and a private cause for the log.
 * lib/platform/http/reply.ts (ERROR_STATUS) maps codes to statuses; domain code never knows a status.
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
  readonly code: ErrorCode;
  /** What the answer carries as `code`: finer than the class of the error. */
  readonly reason: string;
  /** Where the cause passes by itself: when the same call may succeed. Nothing was written. */
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

/** The input is wrong, field by field (design §4, 400). */
export class ValidationError extends DomainError {
  /** By field; for a body that is a list, by entry. */
  readonly fields: FieldErrors | FieldErrors[];

  constructor(fields: FieldErrors | FieldErrors[]) {
    super("validation_failed", "The input is not valid.");
    this.fields = fields;
  }
}

/** @throws ValidationError with all the problems found, if there are any: the caller learns of every one at once */
export function throwIfInvalid(...problems: (FieldErrors | null)[]): void {
  const found: FieldErrors = Object.assign({}, ...problems);
  if (Object.keys(found).length > 0) throw new ValidationError(found);
}

/** Nobody is signed in, or the session has ended (401). */
export class NotSignedInError extends DomainError {
  constructor() {
    super("not_signed_in", "You are signed out. Sign in again; nothing you typed is lost.");
  }
}

/** Signed in, and without the role it takes (403). */
export class ForbiddenError extends DomainError {
  constructor(message: string) {
    super("forbidden", message);
  }
}

/** Absent, or of a practice the caller has no right to: both read the same (invariant 4). */
export class NotFoundError extends DomainError {
  constructor(what = "record") {
    super("not_found", `No such ${what}.`);
  }
}

/** Deleted for good (410). */
export class GoneError extends DomainError {
  constructor(what = "record") {
    super("gone", `This ${what} was deleted permanently.`);
  }
}

/** The present state does not allow it (409). */
export class ConflictError extends DomainError {
  constructor(reason: string, message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super("conflict", message, { reason, ...options });
  }
}

/** The caller worked on an older version (412). */
export class VersionConflictError extends DomainError {
  constructor(currentVersion: number) {
    super("version_conflict", `The record has changed: its version is now ${currentVersion}. Read it again and retry.`);
  }
}

/** Such a write has to name the version its author saw (428). */
export class VersionRequiredError extends DomainError {
  constructor() {
    super("version_required", "Send If-Match with the version you saw. Nothing was saved.");
  }
}

/** Well-formed, and against a rule of the practice (422). */
export class BusinessRuleError extends DomainError {
  constructor(reason: string, message: string) {
    super("business_rule", message, { reason });
  }
}

/** No connection or lock in time: nothing was done, the caller may retry (503). */
export class OverloadedError extends DomainError {
  constructor(
    cause?: unknown,
    message = "The service is busy; nothing was changed. Try again shortly.",
    options: { reason?: string; retryAfterSeconds?: number } = { retryAfterSeconds: 1 },
  ) {
    super("overloaded", message, { cause, ...options });
  }
}

/** The connection was lost during the commit: it may have come through or not, and only a look can tell (503). */
export class OutcomeUnknownError extends OverloadedError {
  constructor(cause?: unknown) {
    const message = "The connection was lost while saving: the change may have been made. Look before you retry.";
    super(cause, message, { reason: "outcome_unknown" });
  }
}
