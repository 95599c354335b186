"use client";

import { useState } from "react";
import { countOf } from "@/components/events/types";
import { CallError, staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { TextAreaField, TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/status";
import { DIRECTIONS, type StreamDetail } from "./types";

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
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<CallError | null>(null);
  const { near, far } = DIRECTIONS[event.direction];
  const discard = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const path = `practices/${practice}/stream/${event.id}/discard`;
      const { applied, given_up } = await staffCall<Discarded>(path, { method: "POST", reason: reason.trim() });
      const others = applied + given_up;
      const behind = others > 0 ? ` ${countOf(others, "event")} that waited behind it went on.` : "";
      onDone(`Event ${event.id} is discarded. The ${far} now agree with the ${near}.${behind}`);
    } catch (error) {
      setProblem(error instanceof CallError ? error : new CallError(500, "error", "The page failed."));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Discard event ${event.id}`}
      description={`It is not tried any more. This can't be undone.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="danger"
            busy={busy}
            disabled={typed.trim() !== String(event.id) || reason.trim() === ""}
            onClick={() => void discard()}
          >
            Discard event
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {problem && (
          <Notice tone="bad" live title="The event was not discarded">
            {problem.message}
          </Notice>
        )}
        <ul className="list-disc space-y-1 pl-5">
          <li>What was written on the {near} stays as it stands there now.</li>
          <li>The {far} of this patient are brought to the same state, under your name.</li>
          <li>
            {event.behind === 0
              ? "No other event waits behind it."
              : `${countOf(event.behind, "event")} behind it ${event.behind === 1 ? "is" : "are"} carried over in the same step.`}
          </li>
          <li>Where the {far} can't take that state, nothing is changed, and you are told why.</li>
        </ul>
        <TextAreaField
          label="Reason"
          required
          maxLength={500}
          help="Kept in the audit."
          value={reason}
          error={problem?.fields.reason?.[0]}
          onChange={(change) => setReason(change.target.value)}
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
      </div>
    </Dialog>
  );
}
