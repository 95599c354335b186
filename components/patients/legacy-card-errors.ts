import { CallError } from "@/components/session/call-error";

const VERSIONING_ENABLED =
  "Insurance Versioning was enabled for this practice. Nothing was saved; change card images on the policy.";

const MESSAGES: Record<string, string> = {
  policy_id_required: VERSIONING_ENABLED,
  versioning_enabled: VERSIONING_ENABLED,
  legacy_insurances_deprecated:
    "The practice's deadline for legacy insurances has passed. Cards by priority can't be changed any more.",
  version_conflict: "Someone else is changing this patient. Nothing was saved; try again.",
};

/** Replaces the message of an error about a legacy card with one for the users of the page. */
export function toLegacyCardError(error: Error): Error {
  if (!(error instanceof CallError)) return error;
  const message = MESSAGES[error.code];
  return message ? new CallError(error.status, error.code, message, error.fields) : error;
}
