import { CallError } from "@/components/session/staff-call";

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
export function cardRefusal(error: Error): Error {
  const words = error instanceof CallError ? CARD_WORDS[error.code] : undefined;
  if (!(error instanceof CallError) || !words) return error;
  return new CallError(error.status, error.code, words, error.fields);
}

const FORM_WORDS: Record<string, string> = {
  version_conflict:
    "Somebody else changed these insurances since you opened them. What you typed is kept; compare it above, then review again.",
  versioning_enabled:
    "Insurance Versioning was enabled for this practice: insurances are policies now. What you typed is kept on this page.",
  legacy_insurances_deprecated:
    "The practice's deadline for legacy insurances is enforced: they can't be changed any more, only policies can. What you typed is kept on this page.",
};

/** Why insurances were not replaced, and what became of what was typed. */
export function whyNotReplaced(error: Error): string {
  if (!(error instanceof CallError)) return error.message;
  const words = FORM_WORDS[error.code];
  if (words) return words;
  const [first] = Object.values(error.fields);
  if (first && !Object.keys(error.fields).some((field) => field.startsWith("insurances."))) return first.join(" ");
  return `${error.message} What you typed is kept.`;
}
