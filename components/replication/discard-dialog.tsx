"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { ConfirmField, isConfirmed } from "@/components/ui/confirm-field";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { pluralize } from "@/components/ui/format";
import type { ReplicationDetail } from "@/lib/insurance/replication/staff-queries";
import { DIRECTIONS } from "./directions";

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
      const behind = others > 0 ? ` ${pluralize(others, "event")} behind it resumed.` : "";
      onDone(`Event ${event.id} discarded. The ${to} now match the ${from}.${behind}`);
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={`Discard event ${event.id}?`}
      description="It will not be retried. This can't be undone."
      submitLabel="Discard event"
      danger
      busy={discard.isPending}
      disabled={!isConfirmed(typed, PHRASE) || reason.trim() === ""}
      error={toFormError(discard.error, "The event was not discarded")}
      onSubmit={() => discard.mutate()}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>The {from} of this patient stay as they are now.</li>
        <li>The {to} are updated to match them, under your name.</li>
        <li>
          {event.behind === 0
            ? "No other events wait behind it."
            : `${pluralize(event.behind, "event")} waiting behind it will be applied in the same step.`}
        </li>
        <li>If the {to} can't be updated, nothing changes and you see why.</li>
      </ul>
      <ReasonField
        required
        help="Saved in the audit log."
        value={reason}
        error={fieldErrors(discard.error).reason?.[0]}
        onChange={setReason}
      />
      <ConfirmField phrase={PHRASE} value={typed} onChange={setTyped} />
    </FormDialog>
  );
}
