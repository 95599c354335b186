import type { ReactNode } from "react";
import { Time } from "@/components/ui/time";
import { sourceText } from "../change-sources";
import { versionFacts as text, versionList } from "../messages/history";
import { changeKindPhrase } from "./history-fields";
import type { VersionDetail } from "./use-versions";

interface VersionFactsProps {
  version: VersionDetail;
  older: VersionDetail | null;
  newest: number;
  /** Actions. */
  children: ReactNode;
}

/** Says which versions are compared, and who made the newer one, when, how and why. */
export function VersionFacts({ version, older, newest, children }: VersionFactsProps) {
  const { actor, source, reason, occurred_date, recorded_date } = version;
  // Imported versions were recorded long after they happened.
  const isRecordedLater = Date.parse(recorded_date) - Date.parse(occurred_date) > 60_000;
  const title = version.version === newest ? text.currentTitle : text.title;
  const occurred = <Time value={occurred_date} />;
  return (
    <header className="mb-3 flex flex-wrap items-start justify-between gap-2">
      <div className="min-w-0 flex-[1_1_14rem]">
        <h2 className="font-semibold">
          {title(version.version, changeKindPhrase(version.kind))}
          {older && <span className="text-soft font-normal"> · {text.comparedWith(older.version)}</span>}
        </h2>
        <p className="text-soft">
          {actor.name} · {sourceText(source)} ·{" "}
          {isRecordedLater ? text.times(occurred, <Time value={recorded_date} />) : occurred}
        </p>
        {reason && <p className="wrap-anywhere">{versionList.reason(reason)}</p>}
      </div>
      <div className="screen-only flex gap-2">{children}</div>
    </header>
  );
}
