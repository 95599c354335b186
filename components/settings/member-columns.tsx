import { Ellipsis } from "lucide-react";
import { actionColumn } from "@/components/ui/action-column";
import { IconButton } from "@/components/ui/button";
import type { Column } from "@/components/ui/data-table";
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
export function memberColumns({ currentUserId, practices, onOpen }: ColumnProps): Column<Member>[] {
  const names = (ids: readonly number[]) => practices.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  return [
    {
      id: "name",
      header: "Name",
      className: "min-w-44",
      cell: (row) => (
        <>
          <span className="font-medium">{row.name}</span>
          {row.id === currentUserId && <span className="text-soft"> (you)</span>}
          <span className="text-soft block text-sm break-all">{row.email}</span>
        </>
      ),
    },
    { id: "role", header: "Role", cell: (row) => <span className="capitalize">{row.role}</span> },
    {
      id: "practices",
      header: "Practices",
      className: "max-md:hidden",
      cell: (row) => [...names(row.practices), ...(row.elsewhere ? ["others"] : [])].join(", "),
    },
    {
      id: "last_used",
      header: "Last used",
      className: "max-lg:hidden",
      cell: (row) => (row.seen_date ? <Time value={row.seen_date} /> : <span className="text-soft">Never</span>),
    },
    {
      id: "status",
      header: "Status",
      className: "max-sm:hidden",
      cell: (row) =>
        row.disabled_date ? <Status kind="archived">Disabled</Status> : <Status kind="active">Enabled</Status>,
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
