"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { toFormError } from "@/components/session/call-error";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { formatNumber, pluralize } from "@/components/ui/format";
import type { RunPage } from "@/lib/migration/work/page-queries";

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
      title={`Cancel run ${run.id}?`}
      description="A canceled run can't be resumed. To convert these records, start a new run."
      submitLabel="Cancel run"
      danger
      cancelLabel="Keep run"
      busy={isPending}
      error={toFormError(error, "The run was not canceled")}
      onSubmit={() => mutate()}
    >
      <ul className="list-disc space-y-1 pl-5">
        {describeEffects(data).map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
      <ReasonField help="Saved with the run. Optional." value={reason} onChange={setReason} />
    </FormDialog>
  );
}

function describeEffects({ run, totals }: RunPage): string[] {
  const file = run.source === "file";
  const at = run.stopped_in ?? run.state;
  if (at === "uploading") return ["The upload stops. Uploaded parts are deleted later.", "No record has changed."];
  if (at === "converting" || at === "verifying") {
    const { converted = 0, verified = 0, different = 0 } = totals.states;
    const written = converted + verified + different;
    const work = at === "converting" ? "conversion" : "verification";
    const stops = run.state === "failed" ? "is not finished" : "stops after the current batch";
    return [
      `The ${work} ${stops}: ${pluralize(run.done, "patient")} of ${formatNumber(run.total)} done.`,
      `Converted patients stay converted (${formatNumber(written)} so far)${file ? ". An admin can roll them back" : ""}.`,
    ];
  }
  const decided = run.state === "checked" ? ["Accepted fixes and skipped records have no effect."] : [];
  return ["The check stops. Its findings so far are kept.", ...decided, "No record has changed."];
}
