"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { ConfirmIdField, isConfirmed } from "@/components/ui/confirm-id-field";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { formatNumber, pluralize } from "@/components/ui/format";
import type { RunTotals } from "@/lib/migration/runs/run-counts";

interface DialogProps {
  run: (reason: string) => Promise<void>;
  onClose: () => void;
}

/** Confirms a conversion: says what it writes, and that it can be rolled back. */
export function ConvertDialog({ totals, waiting, run, onClose }: DialogProps & { totals: RunTotals; waiting: number }) {
  const [reason, setReason] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: () => run(reason.trim()), onSuccess: onClose });
  const { create, update, archive, unchanged, refused } = totals.insurances;
  return (
    <FormDialog
      onClose={onClose}
      title={`Convert ${pluralize(waiting, "patient")}`}
      description="Applies the results of the check, patient by patient. You can roll the run back later."
      submitLabel={`Convert ${pluralize(waiting, "patient")}`}
      busy={isPending}
      error={toFormError(error, "The conversion was not started")}
      onSubmit={() => mutate()}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>
          {pluralize(create, "policy", "policies")} will be created, {formatNumber(update)} updated,{" "}
          {formatNumber(archive)} archived.
        </li>
        <li>
          {pluralize(unchanged, "insurance record")} stay unchanged; {formatNumber(refused)} are skipped with their
          patients.
        </li>
        <li>Card images of the export are added to their policies.</li>
        <li>Patients whose record changes in the meantime are not converted, and are listed for another review.</li>
      </ul>
      <ReasonField help="Saved in the history of each policy. Optional." value={reason} onChange={setReason} />
    </FormDialog>
  );
}

/** Confirms a rollback, after the user types the run's ID. */
export function RollBackDialog(props: DialogProps & { id: number; written: number; retentionDays: number }) {
  const { id, written, retentionDays, run, onClose } = props;
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: () => run(reason.trim()), onSuccess: onClose });
  return (
    <FormDialog
      onClose={onClose}
      title={`Roll back run ${id}?`}
      description="Removes what the run wrote. The export and its findings are kept, and a new run can convert it again."
      submitLabel={`Roll back ${pluralize(written, "patient")}`}
      danger
      busy={isPending}
      disabled={!isConfirmed(typed, id) || reason.trim() === ""}
      error={toFormError(error, "Nothing was rolled back")}
      onSubmit={() => mutate()}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>
          Patients that the run created are removed with their policies. The removed data is kept with the run for{" "}
          {pluralize(retentionDays, "day")}.
        </li>
        <li>Patients that the run changed are restored to their earlier state, as new versions.</li>
        <li>Payers that the run created or changed are removed or restored, unless they are used elsewhere.</li>
        <li>Patients and payers edited since stay as they are and are listed.</li>
        <li>Webhook events and the audit log are kept.</li>
      </ul>
      <ReasonField
        required
        help="Saved with the run."
        value={reason}
        error={fieldErrors(error).reason?.[0]}
        onChange={setReason}
      />
      <ConfirmIdField id={id} value={typed} onChange={setTyped} />
    </FormDialog>
  );
}
