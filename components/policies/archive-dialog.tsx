"use client";

import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/status";
import { useToasts } from "@/components/ui/toasts";
import { type Policy, policyName, rankWord } from "./fields";
import { policiesPath } from "./paths";
import { usePolicyWrite, type Written } from "./use-policy";

interface DialogProps {
  policy: Policy;
  onClose: () => void;
}

/** Archives a policy, with a reason; the notice afterwards takes it back. */
export function ArchiveDialog({ policy, onClose }: DialogProps) {
  const [reason, setReason] = useState("");
  const say = useToasts();
  const path = policiesPath(policy.practice, policy.patient, policy.id);
  const undo = usePolicyWrite((archived: Policy) =>
    staffCall<Written>(`${path}/restore`, {
      method: "POST",
      body: {},
      ifMatch: archived.version,
      reason: "Archiving undone",
    }),
  );
  const archive = usePolicyWrite(() =>
    staffCall<Written>(path, { method: "DELETE", ifMatch: policy.version, reason: reason.trim() }),
  );
  const name = policyName(policy);
  const submit = () =>
    archive.mutate(undefined, {
      onSuccess: ({ policy: archived }) => {
        onClose();
        say.done(`${name} is archived.`, () => {
          if (!archived) return;
          undo
            .mutateAsync(archived)
            .then(() => say.done(`${name} is active again.`))
            .catch((error: Error) => say.failed(`${name} stays archived. ${error.message}`));
        });
      },
    });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Archive ${name}?`}
      description={
        policy.rank === null
          ? "It stops being active. Its history and card images are kept, and it can be restored."
          : `The patient will have no ${rankWord(policy.rank).toLowerCase()} insurance until another takes this rank. History and card images are kept, and the policy can be restored.`
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" form="archive-policy" busy={archive.isPending}>
            Archive policy
          </Button>
        </>
      }
    >
      <form
        id="archive-policy"
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {archive.error && <NotDone error={archive.error} what="The policy was not archived" />}
        <TextField
          label="Reason"
          help="Kept in the history. Optional."
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </form>
    </Dialog>
  );
}

/** Why a write was refused, and what to do. */
export function NotDone({ error, what }: { error: Error & { status?: number }; what: string }) {
  return (
    <Notice tone="bad" live title={what}>
      {error.status === 412
        ? "Somebody changed this policy since you opened it. Close this, look at the policy as it is now, and try again."
        : error.message}
    </Notice>
  );
}
