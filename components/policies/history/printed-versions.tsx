"use client";

import { Time } from "@/components/ui/time";
import { sourceText } from "../change-sources";
import { printedVersions as text } from "../messages/history";
import { changeKindText, changeSummary } from "./history-fields";
import type { VersionSummary } from "./use-versions";

interface PrintedVersionsProps {
  /** Newest first. */
  versions: readonly VersionSummary[];
  newest: number;
}

/** Shows the list of versions on printed pages. */
export function PrintedVersions({ versions, newest }: PrintedVersionsProps) {
  return (
    <div className="print-only mt-6">
      <h2 className="mb-2 font-semibold">{text.title}</h2>
      {versions.length < newest && <p>{text.incomplete}</p>}
      <table className="w-full border-collapse text-left">
        <thead>
          <tr>
            {text.headings.map((heading) => (
              <th key={heading} scope="col" className="border-line border-b py-1 pr-3 font-medium">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {versions.map((version) => (
            <tr key={version.version} className="border-line break-inside-avoid border-b align-top">
              <td className="py-1 pr-3 font-mono">{version.version}</td>
              <td className="py-1 pr-3">{changeKindText(version.kind)}</td>
              <td className="py-1 pr-3">
                <Time value={version.occurred_date} exact />
              </td>
              <td className="py-1 pr-3">{version.actor.name}</td>
              <td className="py-1 pr-3">{sourceText(version.source)}</td>
              <td className="py-1 pr-3">{changeSummary(version)}</td>
              <td className="py-1">{version.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
