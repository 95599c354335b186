import { Button } from "@/components/ui/button";
import type { Column } from "@/components/ui/data-table";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { REJECTIONS } from "@/lib/access/audit/events";
import type { AuditView } from "@/lib/access/audit/staff-queries";
import type { AuditNames } from "@/lib/api/audit/queries";
import { auditColumns as text } from "./messages/log";
import { EventFactsLine } from "./security-event";
import { EntrySentence } from "./sentence";

interface ColumnProps {
  practice: number;
  names: AuditNames;
  onShow: (entry: AuditView) => void;
}

/** Returns the columns of the audit log. */
export function auditColumns({ practice, names, onShow }: ColumnProps): Column<AuditView>[] {
  return [
    {
      id: "time",
      header: text.time,
      className: "w-36 max-sm:hidden",
      cell: (row) => <Time value={row.occurred_date} />,
    },
    {
      id: "entry",
      header: text.entry,
      className: "min-w-44",
      cell: (row) => (
        <>
          <EntrySentence practice={practice} entry={row} names={names} limit={3} />
          <span className="text-soft flex flex-wrap items-center gap-x-2 text-sm">
            <EntryKind entry={row} />
            {row.detail && <EventFactsLine detail={row.detail} />}
            <span className="sm:hidden">
              <Time value={row.occurred_date} />
            </span>
          </span>
        </>
      ),
    },
    {
      id: "address",
      header: text.address,
      className: "max-lg:hidden",
      cell: (row) => <span className="text-soft font-mono">{row.address}</span>,
    },
    {
      id: "details",
      header: <span className="sr-only">{text.details}</span>,
      className: "w-24 text-right screen-only",
      cell: (row) => (
        <Button kind="quiet" onClick={() => onShow(row)}>
          {text.details}
        </Button>
      ),
    },
  ];
}

/** Shows the kind of an entry. Only rejected attempts get a warning icon, so they stand out. */
function EntryKind({ entry: { kind, operation } }: { entry: AuditView }) {
  const label = text.kinds[kind];
  return REJECTIONS.has(operation) ? <Status kind="warning">{label}</Status> : <span>{label}</span>;
}
