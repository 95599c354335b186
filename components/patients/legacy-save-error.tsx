import { CallError, isUncertain } from "@/components/session/call-error";
import { Notice } from "@/components/ui/notice";

const FORM_WORDS: Record<string, string> = {
  version_conflict:
    "Somebody else changed these insurances since you opened them. What you typed is kept; compare it above, then review again.",
  versioning_enabled:
    "Insurance Versioning was enabled for this practice: insurances are policies now. What you typed is kept on this page.",
  legacy_insurances_deprecated:
    "The practice's deadline for legacy insurances is enforced: they can't be changed any more, only policies can. What you typed is kept on this page.",
};

/** Why insurances were not replaced, and what became of what was typed. */
function whyNotReplaced(error: Error): string {
  if (!(error instanceof CallError)) return error.message;
  const words = FORM_WORDS[error.code];
  if (words) return words;
  const [first] = Object.values(error.fields);
  if (first && !Object.keys(error.fields).some((field) => field.startsWith("insurances."))) return first.join(" ");
  return `${error.message} What you typed is kept.`;
}

/** Why a save of all insurances came to nothing, where no field can show it. */
export function LegacySaveError({ error }: { error: Error }) {
  return (
    <Notice tone="bad" live title={isUncertain(error) ? "The insurances may have been replaced" : "Nothing was saved"}>
      {whyNotReplaced(error)}
    </Notice>
  );
}
