"use client";

import { staffCall } from "@/components/session/staff-call";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import type { PracticeChoice } from "@/components/ui/practice-checkboxes";
import { useToasts } from "@/components/ui/toasts";
import type { Member } from "@/lib/access/staff/schema";

export type MemberAction = "password" | "disable" | "enable" | "remove";

interface ActProps {
  kind: MemberAction;
  member: Member;
  practice: PracticeChoice;
  isOwn: boolean;
  onClose: () => void;
  /** With the password where one was made. */
  onDone: (password: string | null) => void;
}

/** Asks before an act on a member, and does it. */
export function MemberActionDialog({ kind, member, practice, isOwn, onClose, onDone }: ActProps) {
  const toast = useToasts();
  const path = `practices/${practice.id}/members/${member.id}`;
  const { name, version } = member;
  const who = isOwn ? "You" : name;
  const acts = {
    password: {
      title: `Give ${name} another password?`,
      description: "The present one stops working, and they are signed out everywhere. The new one is shown once.",
      act: "Make another password",
      said: `${name} has another password.`,
      call: (reason: string) =>
        staffCall<{ password: string }>(`${path}/password`, { method: "POST", reason, ifMatch: version }),
    },
    disable: {
      title: `Disable the account of ${name}?`,
      description: `${who} can't sign in any more, and what is open stops at the next call. It can be enabled again.`,
      act: "Disable account",
      said: `The account of ${name} is disabled.`,
      call: (reason: string) =>
        staffCall(path, { method: "PATCH", body: { disabled: true }, reason, ifMatch: version }),
    },
    enable: {
      title: `Enable the account of ${name}?`,
      description: `${who} can sign in again, as ${member.role} of the practices they belong to.`,
      act: "Enable account",
      said: `The account of ${name} is enabled.`,
      call: (reason: string) =>
        staffCall(path, { method: "PATCH", body: { disabled: false }, reason, ifMatch: version }),
    },
    remove: {
      title: `Remove ${name} from ${practice.name}?`,
      description: `${who} reach${isOwn ? "" : "es"} nothing of this practice from the next call on. What they did stays in the history. They can be added again.`,
      act: "Remove from practice",
      said: `${name} was removed from ${practice.name}.`,
      call: (reason: string) => staffCall(path, { method: "DELETE", reason, ifMatch: version }),
    },
  };
  const { title, description, act, said, call } = acts[kind];
  return (
    <ConfirmDialog
      title={title}
      description={description}
      submitLabel={act}
      danger={kind !== "enable"}
      onClose={onClose}
      run={async (reason) => {
        const answer = (await call(reason)) as { password?: string } | null;
        onDone(answer?.password ?? null);
        toast.success(said);
      }}
    />
  );
}
