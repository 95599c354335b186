import { CallError } from "@/components/session/call-error";
import { legacyCardErrors as text } from "./messages/legacy-cards";

const MESSAGES: Record<string, string> = {
  policy_id_required: text.versioningOn,
  versioning_enabled: text.versioningOn,
  legacy_insurances_deprecated: text.deadlinePassed,
  version_conflict: text.changed,
};

/** Replaces the message of an error about a legacy card with one for the users of the page. */
export function toLegacyCardError(error: Error): Error {
  if (!(error instanceof CallError)) return error;
  const message = MESSAGES[error.code];
  return message ? new CallError(error.status, error.code, message, error.fields) : error;
}
