"use client";

import { useState } from "react";
import { isUncertain } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { useToasts } from "@/components/ui/toasts";
import { type Policy, policyName, rankLabel } from "./fields";
import { checkIfLost } from "./lost-responses";
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
      reason: "Archive undone",
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
        toast.success(`${name} is archived.`, () => {
          if (!archived) return;
          undo
            .mutateAsync(archived)
            .then(() => toast.success(`${name} is active again.`))
            .catch((error: Error) =>
              toast.error(
                `${name} ${isUncertain(error) ? "may be active again" : "is still archived"}. ${error.message}`,
              ),
            );
        });
      },
    });
  return (
    <FormDialog
      onClose={onClose}
      title={`Archive ${name}?`}
      description={
        policy.rank === null
          ? "The policy is no longer active. Its history and card images are kept, and you can restore it."
          : `The patient will have no ${rankLabel(policy.rank).toLowerCase()} coverage until another policy takes this rank. The policy's history and card images are kept, and you can restore it.`
      }
      submitLabel="Archive policy"
      danger
      busy={archive.isPending}
      error={toWriteError(archive.error, "archived")}
      onSubmit={submit}
    >
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  );
}
