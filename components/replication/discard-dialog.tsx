"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { failureOf, fieldsOf, staffCall } from "@/components/session/staff-call";
import { ReasonField, TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { pluralize } from "@/components/ui/format";
import type { StreamDetail } from "@/lib/sync/staff-queries";
import { DIRECTIONS } from "./directions";

interface Discarded {
  applied: number;
  given_up: number;
}

/** Gives a failed event up, after the number of it was typed: says what then holds on both sides. */
export function DiscardDialog(props: {
  practice: number;
  event: StreamDetail;
  onClose: () => void;
  onDone: (text: string) => void;
}) {
  const { practice, event, onClose, onDone } = props;
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const { near, far } = DIRECTIONS[event.direction];
  const discard = useMutation({
    mutationFn: () => {
      const path = `practices/${practice}/stream/${event.id}/discard`;
      return staffCall<Discarded>(path, { method: "POST", reason: reason.trim() });
    },
    onSuccess: ({ applied, given_up }) => {
      const others = applied + given_up;
      const behind = others > 0 ? ` ${pluralize(others, "event")} that waited behind it went on.` : "";
      onDone(`Event ${event.id} is discarded. The ${far} now agree with the ${near}.${behind}`);
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={`Discard event ${event.id}`}
      description="It is not tried any more. This can't be undone."
      act="Discard event"
      danger
      busy={discard.isPending}
      disabled={typed.trim() !== String(event.id) || reason.trim() === ""}
      failure={failureOf(discard.error, "The event was not discarded")}
      onSubmit={() => discard.mutate()}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>What was written on the {near} stays as it stands there now.</li>
        <li>The {far} of this patient are brought to the same state, under your name.</li>
        <li>
          {event.behind === 0
            ? "No other event waits behind it."
            : `${pluralize(event.behind, "event")} behind it ${event.behind === 1 ? "is" : "are"} carried over in the same step.`}
        </li>
        <li>Where the {far} can't take that state, nothing is changed, and you are told why.</li>
      </ul>
      <ReasonField
        required
        help="Kept in the audit."
        value={reason}
        error={fieldsOf(discard.error).reason?.[0]}
        onChange={setReason}
      />
      <TextField
        label={`Type ${event.id} to confirm`}
        required
        inputMode="numeric"
        autoComplete="off"
        className="max-w-56"
        value={typed}
        onChange={(change) => setTyped(change.target.value)}
      />
    </FormDialog>
  );
}
