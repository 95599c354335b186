import type { ColumnDef } from "@tanstack/react-table";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { AuditView } from "@/lib/access/audit/staff-queries";
import { PatientLinks } from "./patient-links";
import { EventSummary } from "./security-event";

export function auditColumns(practice: number, onShow: (entry: AuditView) => void): ColumnDef<AuditView>[] {
  return [
    {
      header: "Time",
      meta: { className: "max-sm:hidden" },
      cell: ({ row: { original } }) => <Time value={original.occurred_date} />,
    },
    {
      header: "Who",
      meta: { className: "min-w-32" },
      cell: ({ row: { original } }) => (
        <>
          <span className="font-medium">{original.actor_name}</span>
          <span className="text-soft block text-sm">{ACTORS[original.actor_type]}</span>
        </>
      ),
    },
    {
      header: "What",
      meta: { className: "min-w-44" },
      cell: ({ row: { original } }) => (
        <>
          <button
            type="button"
            onClick={() => onShow(original)}
            className="inline-flex min-h-6 flex-wrap items-center gap-x-2 text-left hover:underline"
          >
            <Status kind={KINDS[original.kind].status}>{KINDS[original.kind].label}</Status>
            {original.detail ? (
              <EventSummary operation={original.operation} detail={original.detail} />
            ) : (
              <code className="font-mono wrap-anywhere max-sm:text-sm">{original.operation}</code>
            )}
          </button>
          <span className="text-soft block text-sm sm:hidden">
            <Time value={original.occurred_date} />
          </span>
        </>
      ),
    },
    {
      header: "Patients",
      meta: { className: "max-md:hidden" },
      cell: ({ row: { original } }) => <PatientLinks practice={practice} entry={original} limit={3} />,
    },
    {
      header: "Address",
      meta: { className: "max-lg:hidden" },
      cell: ({ row: { original } }) => <span className="text-soft font-mono">{original.address}</span>,
    },
  ];
}

const KINDS = {
  read: { status: "archived", label: "Read" },
  change: { status: "pending", label: "Change" },
  security: { status: "warning", label: "Security" },
} as const;

const ACTORS = {
  client: "API client",
  staff: "Staff",
  system: "System",
  link: "Anyone with the link",
  anonymous: "",
};
