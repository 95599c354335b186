import { CallError } from "@/components/session/call-error";

const VERSIONING_ENABLED =
  "Insurance Versioning was turned on for this practice. Nothing was saved. Change card images on the policy.";

const MESSAGES: Record<string, string> = {
  policy_id_required: VERSIONING_ENABLED,
  versioning_enabled: VERSIONING_ENABLED,
  legacy_insurances_deprecated:
    "The practice's deadline for legacy insurance has passed. Cards by priority can no longer be changed.",
  version_conflict: "Someone else is changing this patient. Nothing was saved. Try again.",
};

/** Replaces the message of an error about a legacy card with one for the users of the page. */
export function toLegacyCardError(error: Error): Error {
  if (!(error instanceof CallError)) return error;
  const message = MESSAGES[error.code];
  return message ? new CallError(error.status, error.code, message, error.fields) : error;
}
