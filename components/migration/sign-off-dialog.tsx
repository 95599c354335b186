"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { RadioField } from "@/components/ui/check-field";
import { TextAreaField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { formatNumber } from "@/components/ui/format";
import type { Readiness } from "@/lib/migration/readiness/queries";
import { PARTS } from "./run-messages";

/** Signs off as go or no-go, together with the current figures. */
export function SignOffDialog(props: {
  practice: number;
  readiness: Readiness;
  onClose: () => void;
  onDone: () => Promise<void>;
}) {
  const { practice, readiness, onClose, onDone } = props;
  const [decision, setDecision] = useState<"go" | "no_go" | null>(null);
  const [reason, setReason] = useState("");
  const sign = useMutation({
    mutationFn: () =>
      staffCall(`practices/${practice}/migrations/sign-offs`, {
        method: "POST",
        body: { decision, reason: reason.trim() },
      }),
    onSuccess: onDone,
  });
  const wrong = fieldErrors(sign.error);
  return (
    <FormDialog
      onClose={onClose}
      title="Sign off"
      description="Saved with your name and these figures. You can't change it, but you can sign off again later."
      submitLabel={decision === "no_go" ? "Sign off as No-go" : "Sign off as Go"}
      busy={sign.isPending}
      disabled={decision === null || reason.trim() === ""}
      error={toFormError(sign.error, "The sign-off was not saved")}
      onSubmit={() => sign.mutate()}
    >
      <p>
        {readiness.percent}%:{" "}
        {PARTS.map(({ part, text }) => `${formatNumber(readiness.parts[part])} ${text.toLowerCase()}`).join(", ")}.
      </p>
      <fieldset className="flex flex-col gap-3">
        <legend className="sr-only">Decision</legend>
        <RadioField
          name="decision"
          label="Go"
          help="The practice will be ready to work with policies only by the deadline."
          checked={decision === "go"}
          onChange={() => setDecision("go")}
        />
        <RadioField
          name="decision"
          label="No-go"
          help="Not yet. The report lists what is missing."
          checked={decision === "no_go"}
          onChange={() => setDecision("no_go")}
        />
        {wrong.decision && <p className="text-bad">{wrong.decision[0]}</p>}
      </fieldset>
      <TextAreaField
        label="Basis for the decision"
        required
        maxLength={1000}
        value={reason}
        error={wrong.reason?.[0]}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  );
}
