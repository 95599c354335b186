"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ColumnDef } from "@tanstack/react-table";
import { Ellipsis, UserPlus } from "lucide-react";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button, IconButton } from "@/components/ui/button";
import { ChangeList } from "@/components/ui/change-list";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { Menu } from "@/components/ui/menu";
import { Notice } from "@/components/ui/notice";
import type { PracticeChoice } from "@/components/ui/practice-checkboxes";
import { SecretDialog } from "@/components/ui/secret-dialog";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { useOpenParam } from "@/components/ui/use-open-param";
import type { RecordChange } from "@/lib/access/history/staff-queries";
import type { Member } from "@/lib/access/staff/schema";
import { sayMemberChange } from "./change-messages";
import { type MemberAction, MemberActionDialog } from "./member-action-dialog";
import { MemberForm } from "./member-form";

interface Data {
  members: Member[];
  changes: RecordChange[];
}

type Open = { form: Member | null } | { act: MemberAction; member: Member } | { password: string; email: string };

/** Who works at the practice, with which role, and what was changed of them. */
export function Members(props: {
  practice: number;
  /** The signed-in user. */
  own: number | null;
  practices: readonly PracticeChoice[];
  initial: Data;
}) {
  const { practice, own, practices, initial } = props;
  const client = useQueryClient();
  const key = ["settings", practice, "members"];
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => staffCall<Data>(`practices/${practice}/members`, { signal }),
    initialData: initial,
  });
  const [open, setOpen] = useState<Open | null>(null);
  useOpenParam("new", () => setOpen({ form: null }));
  const changed = () => client.invalidateQueries({ queryKey: key });
  const tell = (email: string, password: string | null) => setOpen(password ? { password, email } : null);
  const nameOf = ({ record_id, changes }: RecordChange) =>
    data.members.find(({ id }) => id === record_id)?.name ?? String(changes.name?.new ?? "a former member");
  const here = practices.find(({ id }) => id === practice)?.name ?? "this practice";
  return (
    <>
      <Section
        title="Members"
        lead="Admins change settings, members and API clients. Staff change patients' insurance. Viewers read."
        actions={
          <Button kind="primary" onClick={() => setOpen({ form: null })}>
            <UserPlus aria-hidden className="size-4" /> Add member
          </Button>
        }
      >
        {error && (
          <Notice tone="bad" live title="The list could not be brought up to date">
            {error.message}
          </Notice>
        )}
        <DataTable
          label="Members"
          columns={columnsFor({ own, practices, onOpen: setOpen })}
          rows={data.members}
          onOpen={(member) => setOpen({ form: member })}
          empty={<EmptyState title="Nobody belongs to this practice" />}
        />
      </Section>
      <Section title="What was changed of members, by whom and why">
        <ChangeList
          label="Changes of members"
          changes={data.changes}
          describe={(change) => sayMemberChange(change, nameOf(change))}
          none="Nothing was changed from here yet."
        />
      </Section>
      {open && "form" in open && (
        <MemberForm
          member={open.form}
          practice={practice}
          practices={practices}
          onClose={() => setOpen(null)}
          onSaved={(email, password) => {
            void changed();
            tell(email, password);
          }}
        />
      )}
      {open && "act" in open && (
        <MemberActionDialog
          kind={open.act}
          member={open.member}
          practice={{ id: practice, name: here }}
          isOwn={open.member.id === own}
          onClose={() => setOpen((now) => (now && "password" in now ? now : null))}
          onDone={(password) => {
            void changed();
            if (password) tell(open.member.email, password);
          }}
        />
      )}
      {open && "password" in open && (
        <SecretDialog
          title="Password made"
          description="Hand it to them in person or by another safe way. It is shown this once."
          values={[
            { label: "E-mail address", value: open.email },
            { label: "Password", value: open.password },
          ]}
          onDone={() => setOpen(null)}
        />
      )}
    </>
  );
}

interface ColumnProps {
  own: number | null;
  practices: readonly PracticeChoice[];
  onOpen: (open: Open) => void;
}

function columnsFor({ own, practices, onOpen }: ColumnProps): ColumnDef<Member>[] {
  const names = (ids: readonly number[]) => practices.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  return [
    {
      header: "Name",
      meta: { className: "min-w-44" },
      cell: ({ row: { original } }) => (
        <>
          <span className="font-medium">{original.name}</span>
          {original.id === own && <span className="text-soft"> (you)</span>}
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
      header: "State",
      meta: { className: "max-sm:hidden" },
      cell: ({ row: { original } }) =>
        original.disabled_date ? <Status kind="archived">Disabled</Status> : <Status kind="active">Enabled</Status>,
    },
    {
      id: "acts",
      header: () => <span className="sr-only">Acts</span>,
      meta: { className: "w-12 text-right" },
      cell: ({ row: { original } }) => <MemberMenu member={original} onOpen={onOpen} />,
    },
  ];
}

function MemberMenu({ member, onOpen }: { member: Member; onOpen: (open: Open) => void }) {
  const act = (kind: MemberAction) => () => onOpen({ act: kind, member });
  const isOn = !member.disabled_date;
  return (
    <Menu
      trigger={
        <IconButton label={`Acts on ${member.name}`}>
          <Ellipsis aria-hidden className="size-4" />
        </IconButton>
      }
      entries={[
        { key: "form", label: "Change name, role or practices", onSelect: () => onOpen({ form: member }) },
        ...(member.elsewhere
          ? []
          : [
              { key: "password", label: "Give another password", onSelect: act("password") },
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
