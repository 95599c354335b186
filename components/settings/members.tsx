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
import { type MemberAction, MemberActionDialog } from "./member-action-dialog";
import { memberColumns } from "./member-columns";
import { MemberForm } from "./member-form";
import { describeMemberChange, passwordDialog, membersPage as text } from "./messages/members";

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
    data.members.find(({ id }) => id === record_id)?.name ?? String(changes.name?.new ?? text.unknownMember);
  const here = practices.find(({ id }) => id === practice)?.name ?? text.thisPractice;
  return (
    <>
      <Section
        title={text.title}
        lead={text.lead}
        actions={
          <Button kind="primary" onClick={() => setOpen({ form: null })}>
            <UserPlus aria-hidden className="size-4" /> {text.add}
          </Button>
        }
      >
        {error && (
          <Notice tone="bad" live title={text.notRefreshed}>
            {error.message}
          </Notice>
        )}
        <DataTable
          label={text.title}
          columns={memberColumns({ currentUserId, practices, onOpen: setOpen })}
          rows={data.members}
          onOpen={(member) => setOpen({ form: member })}
          empty={<EmptyState title={text.empty} />}
        />
      </Section>
      <Section title={text.activity}>
        <ChangeList
          label={text.activityLabel}
          changes={data.changes}
          describe={(change) => describeMemberChange(change, memberName(change))}
          none={text.noActivity}
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
          title={passwordDialog.title}
          description={passwordDialog.description}
          values={[
            { label: passwordDialog.email, value: open.email },
            { label: passwordDialog.password, value: open.password },
          ]}
          onDone={() => setOpen(null)}
        />
      )}
    </>
  );
}
