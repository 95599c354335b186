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
import { memberMenu, roles, memberColumn as text } from "./messages/members";

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
      header: text.name,
      className: "min-w-44",
      cell: (row) => (
        <>
          <span className="font-medium">{row.name}</span>
          {row.id === currentUserId && <span className="text-soft"> {text.you}</span>}
          <span className="text-soft block text-sm break-all">{row.email}</span>
        </>
      ),
    },
    { id: "role", header: text.role, cell: (row) => roles[row.role] },
    {
      id: "practices",
      header: text.practices,
      className: "max-md:hidden",
      cell: (row) => [...names(row.practices), ...(row.elsewhere ? [text.otherPractices] : [])].join(", "),
    },
    {
      id: "last_used",
      header: text.lastUsed,
      className: "max-lg:hidden",
      cell: (row) =>
        row.seen_date ? <Time value={row.seen_date} /> : <span className="text-soft">{text.neverUsed}</span>,
    },
    {
      id: "status",
      header: text.status,
      className: "max-sm:hidden",
      cell: (row) =>
        row.disabled_date ? (
          <Status kind="archived">{text.disabled}</Status>
        ) : (
          <Status kind="active">{text.enabled}</Status>
        ),
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
        <IconButton label={memberMenu.label(member.name)}>
          <Ellipsis aria-hidden className="size-4" />
        </IconButton>
      }
      entries={[
        { key: "form", label: memberMenu.change, onSelect: () => onOpen({ form: member }) },
        ...(member.elsewhere
          ? []
          : [
              { key: "password", label: memberMenu.password, onSelect: act("password") },
              isOn
                ? { key: "disable", label: memberMenu.disable, onSelect: act("disable"), danger: true }
                : { key: "enable", label: memberMenu.enable, onSelect: act("enable") },
            ]),
        { key: "rule", separator: true },
        { key: "remove", label: memberMenu.remove, onSelect: act("remove"), danger: true },
      ]}
    />
  );
}
