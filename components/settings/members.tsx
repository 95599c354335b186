"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { ChangeList } from "@/components/ui/change-list";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import type { PracticeChoice } from "@/components/ui/practice-checkboxes";
import { SecretDialog } from "@/components/ui/secret-dialog";
import { Section } from "@/components/ui/section";
import { useOpenParam } from "@/components/ui/use-open-param";
import type { RecordChange } from "@/lib/access/history/queries";
import type { Member } from "@/lib/access/staff/schema";
import { describeMemberChange } from "./change-messages";
import { type MemberAction, MemberActionDialog } from "./member-action-dialog";
import { memberColumns } from "./member-columns";
import { MemberForm } from "./member-form";

interface Data {
  members: Member[];
  changes: RecordChange[];
}

export type Open =
  | { form: Member | null }
  | { act: MemberAction; member: Member }
  | { password: string; email: string };

/** Shows the practice's members and their roles, with the history of changes. */
export function Members(props: {
  practice: number;
  /** The signed-in user. */
  currentUserId: number | null;
  practices: readonly PracticeChoice[];
  initial: Data;
}) {
  const { practice, currentUserId, practices, initial } = props;
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
  const showPassword = (email: string, password: string | null) => setOpen(password ? { password, email } : null);
  const memberName = ({ record_id, changes }: RecordChange) =>
    data.members.find(({ id }) => id === record_id)?.name ?? String(changes.name?.new ?? "a former member");
  const here = practices.find(({ id }) => id === practice)?.name ?? "this practice";
  return (
    <>
      <Section
        title="Members"
        lead="Admins manage settings, members and API clients. Staff edit patients' insurance. Viewers can only read."
        actions={
          <Button kind="primary" onClick={() => setOpen({ form: null })}>
            <UserPlus aria-hidden className="size-4" /> Add member
          </Button>
        }
      >
        {error && (
          <Notice tone="bad" live title="Couldn't refresh the list">
            {error.message}
          </Notice>
        )}
        <DataTable
          label="Members"
          columns={memberColumns({ currentUserId, practices, onOpen: setOpen })}
          rows={data.members}
          onOpen={(member) => setOpen({ form: member })}
          empty={<EmptyState title="No members yet" />}
        />
      </Section>
      <Section title="Member activity">
        <ChangeList
          label="Member changes"
          changes={data.changes}
          describe={(change) => describeMemberChange(change, memberName(change))}
          none="No changes yet."
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
            showPassword(email, password);
          }}
        />
      )}
      {open && "act" in open && (
        <MemberActionDialog
          kind={open.act}
          member={open.member}
          practice={{ id: practice, name: here }}
          isOwn={open.member.id === currentUserId}
          onClose={() => setOpen((now) => (now && "password" in now ? now : null))}
          onDone={(password) => {
            void changed();
            if (password) showPassword(open.member.email, password);
          }}
        />
      )}
      {open && "password" in open && (
        <SecretDialog
          title="Save the password"
          description="Give it to the member in person or over another secure channel. It is shown only once."
          values={[
            { label: "Email", value: open.email },
            { label: "Password", value: open.password },
          ]}
          onDone={() => setOpen(null)}
        />
      )}
    </>
  );
}
