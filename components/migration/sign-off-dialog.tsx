"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { RadioField } from "@/components/ui/check-field";
import { TextAreaField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import type { Readiness } from "@/lib/migration/readiness/queries";
import { signOffDialog as text } from "./messages/readiness";

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
      title={text.title}
      description={text.description}
      submitLabel={decision ? text.submitAs[decision] : text.submit}
      busy={sign.isPending}
      disabled={decision === null || reason.trim() === ""}
      error={toFormError(sign.error, text.failed)}
      onSubmit={() => sign.mutate()}
    >
      <p>{text.figures(readiness.percent, readiness.parts)}</p>
      <fieldset className="flex flex-col gap-3">
        <legend className="sr-only">{text.decision}</legend>
        <RadioField
          name="decision"
          label={text.go}
          help={text.goHelp}
          checked={decision === "go"}
          onChange={() => setDecision("go")}
        />
        <RadioField
          name="decision"
          label={text.noGo}
          help={text.noGoHelp}
          checked={decision === "no_go"}
          onChange={() => setDecision("no_go")}
        />
        {wrong.decision && <p className="text-bad">{wrong.decision[0]}</p>}
      </fieldset>
      <TextAreaField
        label={text.reason}
        required
        maxLength={1000}
        value={reason}
        error={wrong.reason?.[0]}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  );
}
