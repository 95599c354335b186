import type { ReactNode } from "react";
import { Time } from "@/components/ui/time";
import { sourceText } from "../change-sources";
import { changeKindText } from "./history-fields";
import type { VersionDetail } from "./use-versions";

interface VersionFactsProps {
  version: VersionDetail;
  older: VersionDetail | null;
  newest: number;
  /** What can be done. */
  children: ReactNode;
}

/** Which versions are compared, and of the newer one who, when, from where and why. */
export function VersionFacts({ version, older, newest, children }: VersionFactsProps) {
  const { actor, source, reason, occurred_date, recorded_date } = version;
  // Imported history holds from another day than it was written.
  const later = Date.parse(recorded_date) - Date.parse(occurred_date) > 60_000;
  return (
    <header className="mb-3 flex flex-wrap items-start justify-between gap-2">
      <div className="min-w-0">
        <h2 className="font-semibold">
          Version {version.version}
          {version.version === newest && " (current)"}: {changeKindText(version.kind).toLowerCase()}
          {older && <span className="text-soft font-normal"> · compared with version {older.version}</span>}
        </h2>
        <p className="text-soft">
          {actor.name} · {sourceText(source)} · <Time value={occurred_date} />
          {later && (
            <>
              {" "}
              (recorded <Time value={recorded_date} />)
            </>
          )}
        </p>
        {reason && <p className="wrap-anywhere">“{reason}”</p>}
      </div>
      {children}
    </header>
  );
}
