import type { Column } from "@/components/ui/data-table";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { AuditView } from "@/lib/access/audit/staff-queries";
import { PatientLinks } from "./patient-links";
import { EventSummary } from "./security-event";

export function auditColumns(practice: number, onShow: (entry: AuditView) => void): Column<AuditView>[] {
  return [
    {
      id: "time",
      header: "Time",
      className: "max-sm:hidden",
      cell: (row) => <Time value={row.occurred_date} />,
    },
    {
      id: "who",
      header: "Who",
      className: "min-w-32",
      cell: (row) => (
        <>
          <span className="font-medium">{row.actor_name}</span>
          <span className="text-soft block text-sm">{ACTORS[row.actor_type]}</span>
        </>
      ),
    },
    {
      id: "what",
      header: "What",
      className: "min-w-44",
      cell: (row) => (
        <>
          <button
            type="button"
            onClick={() => onShow(row)}
            className="inline-flex min-h-6 flex-wrap items-center gap-x-2 text-left hover:underline"
          >
            <Status kind={KINDS[row.kind].status}>{KINDS[row.kind].label}</Status>
            {row.detail ? (
              <EventSummary operation={row.operation} detail={row.detail} />
            ) : (
              <code className="font-mono wrap-anywhere max-sm:text-sm">{row.operation}</code>
            )}
          </button>
          <span className="text-soft block text-sm sm:hidden">
            <Time value={row.occurred_date} />
          </span>
        </>
      ),
    },
    {
      id: "patients",
      header: "Patients",
      className: "max-md:hidden",
      cell: (row) => <PatientLinks practice={practice} entry={row} limit={3} />,
    },
    {
      id: "address",
      header: "Address",
      className: "max-lg:hidden",
      cell: (row) => <span className="text-soft font-mono">{row.address}</span>,
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
