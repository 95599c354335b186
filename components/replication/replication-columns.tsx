import { actionColumn } from "@/components/ui/action-column";
import type { Column } from "@/components/ui/data-table";
import { TextLink } from "@/components/ui/text-link";
import { Time } from "@/components/ui/time";
import type { ReplicationListRow } from "@/lib/insurance/replication/staff-queries";
import { DIRECTIONS, syncColumn as text } from "./messages/sync";
import { ReplicationStatus } from "./replication-status";
import { RetryButton } from "./retry-button";

/** Returns the columns of the replication list, with a retry button in each row. */
export function replicationColumns(options: {
  practice: number;
  path: string;
  onRetried: () => void;
}): Column<ReplicationListRow>[] {
  const { practice, path, onRetried } = options;
  return [
    {
      id: "event",
      header: text.event,
      cell: (row) => (
        <TextLink href={`${path}/${row.id}`} className="font-mono">
          {row.id}
        </TextLink>
      ),
    },
    {
      id: "patient",
      header: text.patient,
      cell: (row) => (
        <>
          <TextLink href={`/practices/${practice}/patients/${row.patient_id}`} className="whitespace-nowrap">
            {text.patientLink(row.patient_id)}
          </TextLink>
          <span className="text-soft block text-sm lg:hidden [&_time]:whitespace-normal">
            <Time value={row.created_date} />
          </span>
        </>
      ),
    },
    {
      id: "direction",
      header: text.direction,
      className: "max-md:hidden",
      cell: (row) => (
        <span className="whitespace-nowrap">{text.change(DIRECTIONS[row.direction].short, row.kind)}</span>
      ),
    },
    { id: "status", header: text.status, cell: (row) => <ReplicationStatus event={row} /> },
    {
      id: "reason",
      header: text.reason,
      className: "max-sm:hidden",
      cell: (row) => (
        <span className="text-soft block max-w-72 truncate max-[1440px]:max-w-40" title={row.last_error ?? undefined}>
          {row.last_error}
        </span>
      ),
    },
    {
      id: "changed_by",
      header: text.changedBy,
      className: "max-xl:hidden",
      cell: (row) => row.actor,
    },
    {
      id: "attempts",
      header: text.attempts,
      className: "max-[1440px]:hidden tabular-nums",
      cell: (row) => row.attempts,
    },
    {
      id: "time",
      header: text.time,
      className: "max-lg:hidden",
      cell: (row) => <Time value={row.created_date} />,
    },
    // A phone has room for the checkboxes only. The selection bar below the list has a retry button.
    actionColumn(
      (event) => <RetryButton practice={practice} event={event} size="small" onDone={onRetried} />,
      "max-sm:hidden text-right",
    ),
  ];
}
