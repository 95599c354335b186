import { PlainTable } from "@/components/ui/plain-table";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import { Day } from "@/components/ui/time";
import { describeCode } from "@/lib/migration/findings/checks";
import type { UnreadyRecord } from "@/lib/migration/readiness/queries";
import { readinessPage, unreadyRecords as words } from "./messages/readiness";
import { lineName, PARTS } from "./messages/terms";
import { recordPath } from "./paths";

const COLUMNS = [
  { name: words.record },
  { name: words.needs },
  { name: words.reason },
  { name: words.owner, className: "max-md:hidden" },
  { name: words.due, className: "max-md:hidden" },
];
const STATUS_KINDS = { person: "warning", refused: "failed", convertible: "active" } as const;

interface UnreadyRecordsProps {
  practice: number;
  run: number;
  records: readonly UnreadyRecord[];
}

/** Shows the records that are not ready, with what each one needs. */
export function UnreadyRecords({ practice, run, records }: UnreadyRecordsProps) {
  return (
    <PlainTable label={readinessPage.unready} columns={COLUMNS}>
      {records.map(({ number, line, name, part, codes, reason, owner, due_date }) => (
        <tr key={number} className="border-line border-b last:border-0">
          <th scope="row" className="px-3 py-1.5 text-left font-normal">
            <TextLink href={recordPath(practice, run, number)}>{name ?? lineName(line)}</TextLink>
          </th>
          <td className="px-3 py-1.5">
            <Status kind={STATUS_KINDS[part]}>
              <span className="whitespace-normal">{PARTS.find((one) => one.part === part)?.text}</span>
            </Status>
          </td>
          <td className="px-3 py-1.5">
            {codes.map((code) => describeCode(code).title).join("; ")}
            {reason && <span className="text-soft block text-sm">{reason}</span>}
          </td>
          <td className="px-3 py-1.5 max-md:hidden">{owner}</td>
          <td className="px-3 py-1.5 max-md:hidden">{due_date && <Day value={due_date} />}</td>
        </tr>
      ))}
    </PlainTable>
  );
}
