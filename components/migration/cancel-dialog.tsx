"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { toFormError } from "@/components/session/call-error";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import type { RunPage } from "@/lib/migration/work/page-queries";
import { cancelDialog as text } from "./messages/run";

interface CancelDialogProps {
  data: RunPage;
  cancel: (reason: string) => Promise<unknown>;
  onClose: () => void;
}

/** Confirms canceling a run: says what stops, what is kept, and that the run can't be resumed. */
export function CancelDialog({ data, cancel, onClose }: CancelDialogProps) {
  const { run } = data;
  const [reason, setReason] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: () => cancel(reason.trim()), onSuccess: onClose });
  return (
    <FormDialog
      onClose={onClose}
      title={text.title(run.id)}
      description={text.description}
      submitLabel={text.submit}
      danger
      cancelLabel={text.keep}
      busy={isPending}
      error={toFormError(error, text.failed)}
      onSubmit={() => mutate()}
    >
      <ul className="list-disc space-y-1 pl-5">
        {describeEffects(data).map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
      <ReasonField help={text.reasonHelp} value={reason} onChange={setReason} />
    </FormDialog>
  );
}

function describeEffects({ run, totals }: RunPage): string[] {
  const file = run.source === "file";
  const at = run.stopped_in ?? run.state;
  if (at === "uploading") return [text.upload, text.unchanged];
  if (at === "converting" || at === "verifying") {
    const { converted = 0, verified = 0, different = 0 } = totals.states;
    const written = converted + verified + different;
    const hasFailed = run.state === "failed";
    const conversion = hasFailed ? text.conversionFailed : text.conversion;
    const verification = hasFailed ? text.verificationFailed : text.verification;
    return [
      (at === "converting" ? conversion : verification)(run.done, run.total),
      (file ? text.convertedFile : text.converted)(written),
    ];
  }
  const check = run.state === "checked" ? [text.findings, text.decisions] : [text.check];
  return [...check, text.unchanged];
}
