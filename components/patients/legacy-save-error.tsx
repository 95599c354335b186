import { CallError, isUncertain } from "@/components/session/call-error";
import { Notice } from "@/components/ui/notice";
import { legacySaveErrors as text } from "./messages/legacy-saving";

const MESSAGES: Record<string, string> = {
  version_conflict: text.changed,
  versioning_enabled: text.versioningOn,
  legacy_insurances_deprecated: text.deadlinePassed,
};

/** Says why the insurances were not replaced, if no field can show it. */
export function LegacySaveError({ error }: { error: Error }) {
  return (
    <Notice tone="bad" live title={isUncertain(error) ? text.uncertainTitle : text.title}>
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
  return first && !isAboutInputs ? first.join(" ") : text.kept(error.message);
}
