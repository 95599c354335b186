import { CallError } from "@/components/session/call-error";

const ENABLED =
  "Insurance Versioning was enabled for this practice. Nothing was saved; change card images on the policy.";

const CARD_WORDS: Record<string, string> = {
  policy_id_required: ENABLED,
  versioning_enabled: ENABLED,
  legacy_insurances_deprecated:
    "The practice's deadline for legacy insurances is enforced: cards by priority can't be changed any more.",
  version_conflict: "Somebody else is changing this patient. Nothing was saved; try again.",
};

/** The refusal of a change of a card, in words for who works here. */
export function toLegacyCardError(error: Error): Error {
  const words = error instanceof CallError ? CARD_WORDS[error.code] : undefined;
  if (!(error instanceof CallError) || !words) return error;
  return new CallError(error.status, error.code, words, error.fields);
}
