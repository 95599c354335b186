"use client";

import { staffCall } from "@/components/session/staff-call";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import type { PracticeChoice } from "@/components/ui/practice-checkboxes";
import { useToasts } from "@/components/ui/toasts";
import type { Member } from "@/lib/access/staff/schema";

export type MemberAction = "password" | "disable" | "enable" | "remove";

interface Action {
  title: string;
  description: string;
  label: string;
  done: string;
  call: (reason: string) => Promise<{ password?: string } | null>;
}

interface MemberActionDialogProps {
  kind: MemberAction;
  member: Member;
  practice: PracticeChoice;
  isOwn: boolean;
  onClose: () => void;
  /** Called with the new password after a reset. */
  onDone: (password: string | null) => void;
}

/** Confirms an action on a member, and performs it. */
export function MemberActionDialog({ kind, member, practice, isOwn, onClose, onDone }: MemberActionDialogProps) {
  const toast = useToasts();
  const path = `practices/${practice.id}/members/${member.id}`;
  const { name, version } = member;
  const who = isOwn ? "You" : name;
  const actions: Record<MemberAction, Action> = {
    password: {
      title: `Reset the password of ${name}?`,
      description:
        "The current password stops working, and the member is signed out everywhere. The new password is shown once.",
      label: "Reset password",
      done: `Password of ${name} reset.`,
      call: (reason) =>
        staffCall<{ password: string }>(`${path}/password`, { method: "POST", reason, ifMatch: version }),
    },
    disable: {
      title: `Disable the account of ${name}?`,
      description: `${who} can't sign in anymore, and open sessions end with their next request. You can enable the account again.`,
      label: "Disable account",
      done: `Account of ${name} disabled.`,
      call: (reason) =>
        staffCall<{ password?: string } | null>(path, {
          method: "PATCH",
          body: { disabled: true },
          reason,
          ifMatch: version,
        }),
    },
    enable: {
      title: `Enable the account of ${name}?`,
      description: `${who} can sign in again, as ${member.role} of the assigned practices.`,
      label: "Enable account",
      done: `Account of ${name} enabled.`,
      call: (reason) =>
        staffCall<{ password?: string } | null>(path, {
          method: "PATCH",
          body: { disabled: false },
          reason,
          ifMatch: version,
        }),
    },
    remove: {
      title: `Remove ${name} from ${practice.name}?`,
      description: `${who} will lose access to this practice immediately. The history of changes is kept. You can add the member again.`,
      label: "Remove from practice",
      done: `${name} removed from ${practice.name}.`,
      call: (reason) => staffCall<{ password?: string } | null>(path, { method: "DELETE", reason, ifMatch: version }),
    },
  };
  const { title, description, label, done, call } = actions[kind];
  return (
    <ConfirmDialog
      title={title}
      description={description}
      submitLabel={label}
      danger={kind !== "enable"}
      onClose={onClose}
      run={async (reason) => {
        const reset = await call(reason);
        onDone(reset?.password ?? null);
        toast.success(done);
      }}
    />
  );
}
