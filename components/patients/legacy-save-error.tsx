import { CallError, isUncertain } from "@/components/session/call-error";
import { Notice } from "@/components/ui/notice";

const MESSAGES: Record<string, string> = {
  version_conflict:
    "Someone else changed this insurance after you opened it. What you typed is kept. Compare it above, then review again.",
  versioning_enabled:
    "Insurance Versioning was turned on for this practice, so its insurance is now stored as policies. What you typed is kept on this page.",
  legacy_insurances_deprecated:
    "The practice's deadline for legacy insurance has passed. Only policies can be changed now. What you typed is kept on this page.",
};

/** Says why the insurances were not replaced, if no field can show it. */
export function LegacySaveError({ error }: { error: Error }) {
  return (
    <Notice tone="bad" live title={isUncertain(error) ? "The insurance may have been replaced" : "Nothing was saved"}>
      {explain(error)}
    </Notice>
  );
}

function explain(error: Error): string {
  if (!(error instanceof CallError)) return error.message;
  const message = MESSAGES[error.code];
  if (message) return message;
  const [first] = Object.values(error.fields);
  const isAboutInputs = Object.keys(error.fields).some((field) => field.startsWith("insurances."));
  return first && !isAboutInputs ? first.join(" ") : `${error.message} What you typed is kept.`;
}
