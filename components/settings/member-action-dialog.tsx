"use client";

import { staffCall } from "@/components/session/staff-call";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import type { PracticeChoice } from "@/components/ui/practice-checkboxes";
import { useToasts } from "@/components/ui/toasts";
import type { Member } from "@/lib/access/staff/schema";
import { disableDialog, enableDialog, removeDialog, resetPasswordDialog } from "./messages/members";

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
  const actions: Record<MemberAction, Action> = {
    password: {
      title: resetPasswordDialog.title(name),
      description: resetPasswordDialog.description,
      label: resetPasswordDialog.label,
      done: resetPasswordDialog.done(name),
      call: (reason) =>
        staffCall<{ password: string }>(`${path}/password`, { method: "POST", reason, ifMatch: version }),
    },
    disable: {
      title: disableDialog.title(name),
      description: isOwn ? disableDialog.descriptionOwn : disableDialog.description(name),
      label: disableDialog.label,
      done: disableDialog.done(name),
      call: (reason) =>
        staffCall<{ password?: string } | null>(path, {
          method: "PATCH",
          body: { disabled: true },
          reason,
          ifMatch: version,
        }),
    },
    enable: {
      title: enableDialog.title(name),
      description: enableDialog.description(name, member.role),
      label: enableDialog.label,
      done: enableDialog.done(name),
      call: (reason) =>
        staffCall<{ password?: string } | null>(path, {
          method: "PATCH",
          body: { disabled: false },
          reason,
          ifMatch: version,
        }),
    },
    remove: {
      title: removeDialog.title(name, practice.name),
      description: isOwn ? removeDialog.descriptionOwn : removeDialog.description(name),
      label: removeDialog.label,
      done: removeDialog.done(name, practice.name),
      call: (reason) => staffCall<{ password?: string } | null>(path, { method: "DELETE", reason, ifMatch: version }),
    },
  };
  const { title, description, label, done, call } = actions[kind];
  return (
    <ConfirmDialog
      title={title}
      description={description}
      submitLabel={label}
      danger={kind === "disable" || kind === "remove"}
      onClose={onClose}
      run={async (reason) => {
        const reset = await call(reason);
        onDone(reset?.password ?? null);
        toast.success(done);
      }}
    />
  );
}
