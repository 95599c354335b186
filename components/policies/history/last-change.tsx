import { Time } from "@/components/ui/time";
import { comparison as text } from "../messages/history";
import type { VersionDetail } from "./use-versions";

interface LastChangeProps {
  change: VersionDetail["last_changes"][string];
  onVersion: (version: number) => void;
}

/** Says who last changed a field, and links to that version. */
export function LastChange({ change, onVersion }: LastChangeProps) {
  const version = (
    <button
      type="button"
      onClick={() => onVersion(change.version)}
      aria-label={text.goToVersion(change.version)}
      className="text-accent inline-flex min-h-6 min-w-6 items-center font-mono hover:underline"
    >
      {text.shortVersion(change.version)}
    </button>
  );
  return (
    <span className="text-soft block text-sm">
      {text.lastChange(version, change.actor.name, <Time value={change.occurred_date} />)}
    </span>
  );
}
