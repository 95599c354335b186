import type { ColumnDef } from "@tanstack/react-table";
import { Ellipsis } from "lucide-react";
import { actionColumn } from "@/components/ui/action-column";
import { IconButton } from "@/components/ui/button";
import { Menu } from "@/components/ui/menu";
import type { PracticeChoice } from "@/components/ui/practice-checkboxes";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { Member } from "@/lib/access/staff/schema";
import type { MemberAction } from "./member-action-dialog";
import type { Open } from "./members";

interface ColumnProps {
  currentUserId: number | null;
  practices: readonly PracticeChoice[];
  onOpen: (open: Open) => void;
}

/** Returns the columns of the member list. The last one is the row's action menu. */
export function memberColumns({ currentUserId, practices, onOpen }: ColumnProps): ColumnDef<Member>[] {
  const names = (ids: readonly number[]) => practices.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  return [
    {
      header: "Name",
      meta: { className: "min-w-44" },
      cell: ({ row: { original } }) => (
        <>
          <span className="font-medium">{original.name}</span>
          {original.id === currentUserId && <span className="text-soft"> (you)</span>}
          <span className="text-soft block text-sm break-all">{original.email}</span>
        </>
      ),
    },
    { header: "Role", cell: ({ row: { original } }) => <span className="capitalize">{original.role}</span> },
    {
      header: "Practices",
      meta: { className: "max-md:hidden" },
      cell: ({ row: { original } }) =>
        [...names(original.practices), ...(original.elsewhere ? ["others"] : [])].join(", "),
    },
    {
      header: "Last used",
      meta: { className: "max-lg:hidden" },
      cell: ({ row: { original } }) =>
        original.seen_date ? <Time value={original.seen_date} /> : <span className="text-soft">Never</span>,
    },
    {
      header: "Status",
      meta: { className: "max-sm:hidden" },
      cell: ({ row: { original } }) =>
        original.disabled_date ? <Status kind="archived">Disabled</Status> : <Status kind="active">Enabled</Status>,
    },
    actionColumn((member) => <MemberMenu member={member} onOpen={onOpen} />, "w-12 text-right"),
  ];
}

function MemberMenu({ member, onOpen }: { member: Member; onOpen: (open: Open) => void }) {
  const act = (kind: MemberAction) => () => onOpen({ act: kind, member });
  const isOn = !member.disabled_date;
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${member.name}`}>
          <Ellipsis aria-hidden className="size-4" />
        </IconButton>
      }
      entries={[
        { key: "form", label: "Change name, role or practices", onSelect: () => onOpen({ form: member }) },
        ...(member.elsewhere
          ? []
          : [
              { key: "password", label: "Reset password", onSelect: act("password") },
              isOn
                ? { key: "disable", label: "Disable account", onSelect: act("disable"), danger: true }
                : { key: "enable", label: "Enable account", onSelect: act("enable") },
            ]),
        { key: "rule", separator: true },
        { key: "remove", label: "Remove from practice", onSelect: act("remove"), danger: true },
      ]}
    />
  );
}
