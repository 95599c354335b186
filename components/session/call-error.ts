import { formErrors as text } from "./messages";

/** Error messages of a form by field, as the server returned them. */
type FieldErrors = Record<string, string[]>;

/** A call that the server rejected, or that did not reach it (status 0). */
export class CallError extends Error {
  readonly status: number;
  /** The error code of the response; `offline` if there was none. */
  readonly code: string;
  /** Set if the server rejected a form with 400. */
  readonly fields: FieldErrors;
  /** Whether the call may have changed something although it failed, because its response was lost. */
  readonly isUncertain: boolean;

  constructor(status: number, code: string, message: string, fields: FieldErrors = {}, isUncertain = false) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.isUncertain = isUncertain;
  }
}

/** Returns the error messages of each field, if the server rejected a form. */
export function fieldErrors(error: Error | null): FieldErrors {
  return error instanceof CallError ? error.fields : {};
}

/** Returns whether a failed call may have changed something. */
export function isUncertain(error: unknown): boolean {
  return error instanceof CallError && error.isUncertain;
}

/** Titles for errors about a repeated idempotency key: they describe the first attempt, whose response was lost. */
export const REPEATED_KEY_TITLES: Record<string, string> = {
  idempotency_in_flight: text.inProgress,
  idempotency_told_once: text.done,
  idempotency_key_reused: text.done,
  idempotency_answer_lost: text.uncertain,
};

/**
 * Turns the error of a failed call into the notice that a form shows above its inputs.
 *
 * @param failedTitle the title if nothing was changed: `Nothing was saved`
 */
export function toFormError(error: Error | null, failedTitle: string): { title: string; message: string } | null {
  if (!error) return null;
  const repeated = error instanceof CallError ? REPEATED_KEY_TITLES[error.code] : undefined;
  return {
    title: repeated ?? (isUncertain(error) ? text.uncertain : failedTitle),
    message: error.message,
  };
}
