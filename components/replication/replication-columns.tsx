import type { ColumnDef } from "@tanstack/react-table";
import Link from "next/link";
import { selectionColumn } from "@/components/ui/selection-column";
import { Time } from "@/components/ui/time";
import type { StreamListRow } from "@/lib/sync/staff-queries";
import { DIRECTIONS } from "./directions";
import { ReplicationStatus } from "./replication-status";
import { RetryButton } from "./retry-button";

/** Columns of the stream's list; with boxes to tick and a retry for those who may act. */
export function replicationColumns(options: {
  practice: number;
  pathOf: (event: StreamListRow) => string;
  onRetried: (() => void) | null;
}): ColumnDef<StreamListRow>[] {
  const { practice, pathOf, onRetried } = options;
  return [
    ...(onRetried ? [selectionColumn<StreamListRow>(({ id }) => `event ${id}`)] : []),
    {
      header: "Event",
      cell: ({ row: { original } }) => (
        <Link
          href={pathOf(original)}
          prefetch={false}
          className="inline-flex min-h-6 min-w-6 items-center font-mono hover:underline"
        >
          {original.id}
        </Link>
      ),
    },
    {
      header: "Patient",
      cell: ({ row: { original } }) => (
        <Link
          href={`/practices/${practice}/patients/${original.patient_id}`}
          prefetch={false}
          className="inline-flex min-h-6 min-w-6 items-center hover:underline sm:whitespace-nowrap"
        >
          Patient {original.patient_id}
        </Link>
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
    { header: "By", meta: { className: "max-xl:hidden" }, accessorKey: "actor" },
    {
      header: "Attempts",
      meta: { className: "max-lg:hidden tabular-nums" },
      cell: ({ row: { original } }) => original.attempts,
    },
    {
      header: "Written",
      meta: { className: "max-lg:hidden" },
      cell: ({ row: { original } }) => <Time value={original.created_date} />,
    },
    ...(onRetried
      ? [
          {
            id: "acts",
            header: () => <span className="sr-only">Acts</span>,
            // On a phone there is room for the boxes alone: what is ticked is retried below the list.
            meta: { className: "max-sm:hidden text-right" },
            cell: ({ row: { original } }) => (
              <RetryButton practice={practice} event={original} size="small" onDone={onRetried} />
            ),
          } satisfies ColumnDef<StreamListRow>,
        ]
      : []),
  ];
}
