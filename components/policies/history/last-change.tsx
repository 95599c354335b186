import { Time } from "@/components/ui/time";
import type { VersionDetail } from "./use-versions";

interface LastChangeProps {
  change: VersionDetail["last_changes"][string];
  onVersion: (version: number) => void;
}

/** Says who last changed a field, and links to that version. */
export function LastChange({ change, onVersion }: LastChangeProps) {
  return (
    <span className="text-soft block text-sm">
      <button
        type="button"
        onClick={() => onVersion(change.version)}
        aria-label={`Go to version ${change.version}`}
        className="text-accent inline-flex min-h-6 min-w-6 items-center font-mono hover:underline"
      >
        v{change.version}
      </button>{" "}
      {change.actor.name}, <Time value={change.occurred_date} />
    </span>
  );
}
