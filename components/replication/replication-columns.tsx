import type { ColumnDef } from "@tanstack/react-table";
import { actionColumn } from "@/components/ui/action-column";
import { selectionColumn } from "@/components/ui/selection-column";
import { TextLink } from "@/components/ui/text-link";
import { Time } from "@/components/ui/time";
import type { ReplicationListRow } from "@/lib/insurance/replication/staff-queries";
import { DIRECTIONS } from "./directions";
import { ReplicationStatus } from "./replication-status";
import { RetryButton } from "./retry-button";

/**
 * Returns the columns of the replication list. Users who can retry events get a selection column and a retry button in each
 * row.
 */
export function replicationColumns(options: {
  practice: number;
  path: string;
  onRetried: (() => void) | null;
}): ColumnDef<ReplicationListRow>[] {
  const { practice, path, onRetried } = options;
  const columns: ColumnDef<ReplicationListRow>[] = [
    {
      header: "Event",
      cell: ({ row: { original } }) => (
        <TextLink href={`${path}/${original.id}`} className="font-mono">
          {original.id}
        </TextLink>
      ),
    },
    {
      header: "Patient",
      cell: ({ row: { original } }) => (
        <TextLink href={`/practices/${practice}/patients/${original.patient_id}`} className="sm:whitespace-nowrap">
          Patient {original.patient_id}
        </TextLink>
      ),
    },
    {
      header: "Direction",
      meta: { className: "max-md:hidden" },
      cell: ({ row: { original } }) => (
        <span className="whitespace-nowrap">
          {DIRECTIONS[original.direction].short}, {original.kind}
        </span>
      ),
    },
    { header: "Status", cell: ({ row: { original } }) => <ReplicationStatus event={original} /> },
    {
      header: "Reason",
      meta: { className: "max-sm:hidden" },
      cell: ({ row: { original } }) => (
        <span className="text-soft block max-w-72 truncate max-xl:max-w-40" title={original.last_error ?? undefined}>
          {original.last_error}
        </span>
      ),
    },
    {
      header: "Changed by",
      meta: { className: "max-xl:hidden" },
      cell: ({ row: { original } }) => (
        <span className="block max-w-40 truncate" title={original.actor}>
          {original.actor}
        </span>
      ),
    },
    {
      header: "Attempts",
      meta: { className: "max-lg:hidden tabular-nums" },
      cell: ({ row: { original } }) => original.attempts,
    },
    {
      header: "Time",
      meta: { className: "max-lg:hidden" },
      cell: ({ row: { original } }) => <Time value={original.created_date} />,
    },
  ];
  if (!onRetried) return columns;
  return [
    selectionColumn(({ id }) => `event ${id}`),
    ...columns,
    // A phone has room for the checkboxes only. The selection bar below the list has a retry button.
    actionColumn(
      (event) => <RetryButton practice={practice} event={event} size="small" onDone={onRetried} />,
      "max-sm:hidden text-right",
    ),
  ];
}
