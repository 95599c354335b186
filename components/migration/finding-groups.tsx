import { formatNumber } from "@/components/ui/format";
import { PlainTable } from "@/components/ui/plain-table";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import { describeCode } from "@/lib/migration/findings/checks";
import type { FindingGroup } from "@/lib/migration/runs/schema";
import { findingGroups as text } from "./messages/run";
import { runPath } from "./paths";

const COLUMNS = [
  { name: text.finding },
  { name: text.severity, className: "max-sm:hidden" },
  { name: text.found, className: "text-right" },
  { name: text.open, className: "text-right" },
  { name: text.fixable, className: "text-right max-md:hidden" },
];

interface FindingGroupsProps {
  practice: number;
  run: number;
  groups: readonly FindingGroup[];
}

/** Shows the findings of a run by code: what each means, and how many are still open. */
export function FindingGroups({ practice, run, groups }: FindingGroupsProps) {
  return (
    <PlainTable label={text.label} columns={COLUMNS}>
      {groups.map(({ code, severity, count, open, fixable }) => {
        const { title, advice } = describeCode(code);
        return (
          <tr key={code} className="border-line hover:bg-sunken border-b last:border-0">
            <th scope="row" className="px-3 py-2 text-left font-normal">
              <TextLink href={`${runPath(practice, run)}/findings?code=${code}`} className="font-medium">
                {title}
              </TextLink>
              <span className="text-soft block text-sm">{advice}</span>
              <span className="block sm:hidden">
                <Severity severity={severity} />
              </span>
              {fixable > 0 && <span className="text-soft block text-sm md:hidden">{text.fixableCount(fixable)}</span>}
            </th>
            <td className="px-3 py-2 align-top max-sm:hidden">
              <Severity severity={severity} />
            </td>
            <td className="px-3 py-2 text-right align-top tabular-nums">{formatNumber(count)}</td>
            <td className="px-3 py-2 text-right align-top tabular-nums">{formatNumber(open)}</td>
            <td className="px-3 py-2 text-right align-top tabular-nums max-md:hidden">{formatNumber(fixable)}</td>
          </tr>
        );
      })}
    </PlainTable>
  );
}

function Severity({ severity }: Pick<FindingGroup, "severity">) {
  const isError = severity === "error";
  return <Status kind={isError ? "failed" : "warning"}>{isError ? text.error : text.warning}</Status>;
}
