"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { ReasonField, TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { useToasts } from "@/components/ui/toasts";
import { type Policy, policyName } from "./fields";
import { checkIfLost } from "./lost-responses";
import { deleteDialog as text } from "./messages/dialogs";
import { pagePath, policiesPath } from "./paths";
import { findOutcome, usePolicyWrite, type WriteResult } from "./use-policy";
import { toWriteError } from "./write-error";

interface DeleteDialogProps {
  policy: Policy;
  onClose: () => void;
}

/** Deletes an archived policy permanently, after the user has typed its member ID, or its own ID if it has none. */
export function DeleteDialog({ policy, onClose }: DeleteDialogProps) {
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const toast = useToasts();
  const router = useRouter();
  const path = policiesPath(policy.practice, policy.patient, policy.id);
  const remove = usePolicyWrite(() =>
    checkIfLost(
      staffCall<WriteResult>(`${path}/permanently`, {
        method: "DELETE",
        ifMatch: policy.version,
        reason: reason.trim(),
      }),
      findOutcome(path, "deleted"),
    ),
  );
  const name = policyName(policy);
  const memberId = policy.member_id?.trim();
  const confirmation = memberId || String(policy.id);
  const shownConfirmation = <span className="font-mono break-all">{confirmation}</span>;
  const submit = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        toast.success(text.done(name));
        router.replace(pagePath(policy.practice, policy.patient));
      },
    });
  return (
    <FormDialog
      onClose={onClose}
      title={text.title(name)}
      description={text.description(policy.version, policy.card_images.length)}
      submitLabel={text.submit}
      danger
      busy={remove.isPending}
      disabled={typed.trim() !== confirmation}
      error={toWriteError(remove.error, "deleted")}
      onSubmit={submit}
    >
      <TextField
        label={memberId ? text.confirmMemberId(shownConfirmation) : text.confirmPolicyId(shownConfirmation)}
        required
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <ReasonField help={text.reasonHelp} value={reason} onChange={setReason} />
    </FormDialog>
  );
}
