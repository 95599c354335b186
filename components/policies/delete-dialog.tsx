"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { ReasonField, TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { pluralize } from "@/components/ui/format";
import { useToasts } from "@/components/ui/toasts";
import { type Policy, policyName } from "./fields";
import { checkIfLost } from "./lost-responses";
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
  const confirmation = policy.member_id?.trim() || String(policy.id);
  const images = policy.card_images.length;
  const submit = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        toast.success(`${name} was deleted permanently.`);
        router.replace(pagePath(policy.practice, policy.patient));
      },
    });
  return (
    <FormDialog
      onClose={onClose}
      title={`Delete ${name} permanently?`}
      description={`The policy, its ${pluralize(policy.version, "version")}, ${pluralize(images, "card image")} and its legacy record are deleted. This can't be undone.`}
      submitLabel="Delete permanently"
      danger
      busy={remove.isPending}
      disabled={typed.trim() !== confirmation}
      error={toWriteError(remove.error, "deleted")}
      onSubmit={submit}
    >
      <TextField
        label={
          <>
            Type {policy.member_id?.trim() ? "the member ID" : "the policy ID"}{" "}
            <span className="font-mono break-all">{confirmation}</span> to confirm
          </>
        }
        required
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <ReasonField help="Saved with the deletion record. Optional." value={reason} onChange={setReason} />
    </FormDialog>
  );
}
