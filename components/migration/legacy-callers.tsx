import { Fragment } from "react";
import { formatNumber } from "@/components/ui/format";
import { PlainTable } from "@/components/ui/plain-table";
import { Day } from "@/components/ui/time";
import type { Readiness } from "@/lib/migration/readiness/queries";
import { readinessPage, callers as text } from "./messages/readiness";

const COLUMNS = [
  { name: text.client },
  { name: text.endpoint, className: "max-sm:hidden" },
  { name: text.last },
  { name: text.reads, className: "text-right max-sm:hidden" },
  { name: text.writes, className: "text-right max-sm:hidden" },
];

/** Shows the clients that still use legacy insurance, with the endpoints that replace their calls. */
export function LegacyCallers({ callers }: Pick<Readiness, "callers">) {
  return (
    <PlainTable label={readinessPage.callers} columns={COLUMNS}>
      {callers.map(({ client_id, name, endpoint, last, reads, writes, replacement }) => (
        <Fragment key={`${client_id} ${endpoint}`}>
          <tr>
            <th scope="row" className="px-3 pt-1.5 text-left font-normal">
              {name}
              <span className="block text-sm sm:hidden">
                <span className="font-mono">{endpoint}</span>
                <span className="text-soft block">{text.counts(reads, writes)}</span>
              </span>
            </th>
            <td className="px-3 pt-1.5 font-mono text-sm max-sm:hidden">{endpoint}</td>
            <td className="px-3 pt-1.5">
              <Day value={last} />
            </td>
            <td className="px-3 pt-1.5 text-right tabular-nums max-sm:hidden">{formatNumber(reads)}</td>
            <td className="px-3 pt-1.5 text-right tabular-nums max-sm:hidden">{formatNumber(writes)}</td>
          </tr>
          <tr className="border-line border-b last:border-0">
            <td colSpan={5} className="text-soft px-3 pb-1.5 text-sm">
              {text.instead(<span className="font-mono wrap-anywhere">{replacement}</span>)}
            </td>
          </tr>
        </Fragment>
      ))}
    </PlainTable>
  );
}
