import { Time } from "@/components/ui/time";
import { sourceText } from "../change-sources";
import { versionList as text } from "../messages/history";
import { changeKindText, changeSummary } from "./history-fields";
import type { VersionSummary } from "./use-versions";

interface VersionRowProps {
  number: number;
  version: VersionSummary | undefined;
  isCurrent: boolean;
  isOther: boolean;
}

/** Shows a version in the list. Shows a skeleton until it has loaded. */
export function VersionRow({ number, version, isCurrent, isOther }: VersionRowProps) {
  const head = (
    <span className="block font-medium">
      <span aria-hidden className="font-mono">
        {number}
      </span>
      <span className="sr-only">{text.version(number)}</span>
      {version && ` · ${changeKindText(version.kind)}`}
      {isCurrent && <span className="text-soft text-sm font-normal"> · {text.current}</span>}
      {isOther && <span className="sr-only"> · {text.comparedWith}</span>}
    </span>
  );
  if (!version) {
    return (
      <>
        {head}
        <span className="bg-sunken mt-2 block h-3 w-2/3 animate-pulse rounded" />
        <span className="bg-sunken mt-2 block h-3 w-1/2 animate-pulse rounded" />
      </>
    );
  }
  const summary = changeSummary(version);
  return (
    <>
      {head}
      <span className="text-soft block text-sm wrap-anywhere">
        {version.actor.name} · <Time value={version.occurred_date} /> · {sourceText(version.source)}
      </span>
      {summary && (
        <span className="block truncate text-sm" title={summary}>
          {summary}
        </span>
      )}
      {version.reason && (
        <span className="text-soft block truncate text-sm" title={version.reason}>
          {text.reason(version.reason)}
        </span>
      )}
    </>
  );
}
