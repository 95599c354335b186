"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { ConfirmField, isConfirmed } from "@/components/ui/confirm-field";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import type { ReplicationDetail } from "@/lib/insurance/replication/staff-queries";
import { DIRECTIONS, discardDialog as text } from "./messages/sync";

interface Discarded {
  applied: number;
  given_up: number;
}

const PHRASE = "DISCARD";

/** Discards a failed event, after the user confirms it in words. Explains how the two stores are reconciled. */
export function DiscardDialog(props: {
  practice: number;
  event: ReplicationDetail;
  onClose: () => void;
  onDone: (text: string) => void;
}) {
  const { practice, event, onClose, onDone } = props;
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const { from, to } = DIRECTIONS[event.direction];
  const discard = useMutation({
    mutationFn: () => {
      const path = `practices/${practice}/stream/${event.id}/discard`;
      return staffCall<Discarded>(path, { method: "POST", reason: reason.trim() });
    },
    onSuccess: ({ applied, given_up }) => {
      const others = applied + given_up;
      onDone(others > 0 ? text.doneWithOthers(event.id, from, to, others) : text.done(event.id, from, to));
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={text.title(event.id)}
      description={text.description}
      submitLabel={text.submit}
      danger
      busy={discard.isPending}
      disabled={!isConfirmed(typed, PHRASE) || reason.trim() === ""}
      error={toFormError(discard.error, text.failed)}
      onSubmit={() => discard.mutate()}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>{text.kept(from)}</li>
        <li>{text.updated(to)}</li>
        <li>{text.behind(event.behind)}</li>
        <li>{text.ifFailed(to)}</li>
      </ul>
      <ReasonField
        required
        help={text.reasonHelp}
        value={reason}
        error={fieldErrors(discard.error).reason?.[0]}
        onChange={setReason}
      />
      <ConfirmField phrase={PHRASE} value={typed} onChange={setTyped} />
    </FormDialog>
  );
}
