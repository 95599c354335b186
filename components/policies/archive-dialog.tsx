"use client";

import { useState } from "react";
import { isUncertain } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { useToasts } from "@/components/ui/toasts";
import { type Policy, policyName, rankPhrase } from "./fields";
import { checkIfLost } from "./lost-responses";
import { archiveDialog as text } from "./messages/dialogs";
import { policiesPath } from "./paths";
import { findOutcome, usePolicyWrite, type WriteResult } from "./use-policy";
import { toWriteError } from "./write-error";

interface ArchiveDialogProps {
  policy: Policy;
  onClose: () => void;
}

/** Archives a policy. The toast afterwards has an Undo button. */
export function ArchiveDialog({ policy, onClose }: ArchiveDialogProps) {
  const [reason, setReason] = useState("");
  const toast = useToasts();
  const path = policiesPath(policy.practice, policy.patient, policy.id);
  const undo = usePolicyWrite((archived: Policy) =>
    staffCall<WriteResult>(`${path}/restore`, {
      method: "POST",
      body: {},
      ifMatch: archived.version,
      reason: text.undoReason,
    }),
  );
  const archive = usePolicyWrite(() =>
    checkIfLost(
      staffCall<WriteResult>(path, { method: "DELETE", ifMatch: policy.version, reason: reason.trim() }),
      findOutcome(path, "archived"),
    ),
  );
  const name = policyName(policy);
  const submit = () =>
    archive.mutate(undefined, {
      onSuccess: ({ policy: archived }) => {
        onClose();
        toast.success(text.done(name), () => {
          if (!archived) return;
          undo
            .mutateAsync(archived)
            .then(() => toast.success(text.undone(name)))
            .catch((error: Error) =>
              toast.error((isUncertain(error) ? text.undoUncertain : text.undoFailed)(name, error.message)),
            );
        });
      },
    });
  return (
    <FormDialog
      onClose={onClose}
      title={text.title(name)}
      description={text.description(policy.rank === null ? null : rankPhrase(policy.rank))}
      submitLabel={text.submit}
      danger
      busy={archive.isPending}
      error={toWriteError(archive.error, "archived")}
      onSubmit={submit}
    >
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  );
}
