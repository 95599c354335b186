import Link from "next/link";
import { formatNumber } from "@/components/ui/format";
import { Status } from "@/components/ui/status";
import type { FindingGroup } from "@/lib/migration/review-queries";
import { describeCode } from "@/lib/migration/rules/checks";
import { runPath } from "./paths";

/** What was found in a run, code by code: what it means, how often, what is still open. */
export function FindingGroups({
  practice,
  run,
  groups,
}: {
  practice: number;
  run: number;
  groups: readonly FindingGroup[];
}) {
  return (
    <div className="border-line bg-raised overflow-x-auto rounded-md border">
      <table aria-label="Findings by code" className="w-full border-collapse">
        <thead>
          <tr className="border-line text-soft border-b text-left text-sm">
            <th scope="col" className="h-9 px-3 font-medium">
              Finding
            </th>
            <th scope="col" className="h-9 px-3 font-medium max-sm:hidden">
              Severity
            </th>
            <th scope="col" className="h-9 px-3 text-right font-medium">
              Found
            </th>
            <th scope="col" className="h-9 px-3 text-right font-medium">
              Open
            </th>
            <th scope="col" className="h-9 px-3 text-right font-medium max-md:hidden">
              With a fix
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ code, severity, count, open, fixable }) => {
            const { title, mend } = describeCode(code);
            return (
              <tr key={code} className="border-line hover:bg-sunken border-b last:border-0">
                <th scope="row" className="px-3 py-2 text-left font-normal">
                  <Link
                    href={`${runPath(practice, run)}/findings?code=${code}`}
                    prefetch={false}
                    className="inline-flex min-h-6 items-center font-medium hover:underline"
                  >
                    {title}
                  </Link>
                  <span className="text-soft block text-sm">{mend}</span>
                </th>
                <td className="px-3 py-2 align-top max-sm:hidden">
                  <Status kind={severity === "error" ? "failed" : "warning"}>
                    {severity === "error" ? "Error" : "Warning"}
                  </Status>
                </td>
                <td className="px-3 py-2 text-right align-top tabular-nums">{formatNumber(count)}</td>
                <td className="px-3 py-2 text-right align-top tabular-nums">{open === 0 ? "—" : formatNumber(open)}</td>
                <td className="px-3 py-2 text-right align-top tabular-nums max-md:hidden">
                  {fixable === 0 ? "—" : formatNumber(fixable)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
