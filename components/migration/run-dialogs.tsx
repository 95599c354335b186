"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { ReasonField, TextField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { formatNumber, pluralize } from "@/components/ui/format";
import type { RunTotals } from "@/lib/migration/review-queries";

interface DialogProps {
  run: (reason: string) => Promise<void>;
  onClose: () => void;
}

/** Asks before a conversion: what it writes, and that there is a way back. */
export function ConvertDialog({ totals, waiting, run, onClose }: DialogProps & { totals: RunTotals; waiting: number }) {
  const [reason, setReason] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: () => run(reason.trim()), onSuccess: onClose });
  const { create, update, archive, unchanged, refused } = totals.insurances;
  return (
    <FormDialog
      onClose={onClose}
      title={`Convert ${pluralize(waiting, "patient")}`}
      description="What the check said is done, patient by patient. It can be rolled back."
      submitLabel={`Convert ${pluralize(waiting, "patient")}`}
      busy={isPending}
      error={toFormError(error, "The conversion was not begun")}
      onSubmit={() => mutate()}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>
          {pluralize(create, "policy", "policies")} will be created, {formatNumber(update)} updated,{" "}
          {formatNumber(archive)} archived.
        </li>
        <li>
          {pluralize(unchanged, "insurance")} stay as they are; {formatNumber(refused)} are left out with their records.
        </li>
        <li>Card images of the export come with their policies.</li>
        <li>A patient whose record changes meanwhile is not converted, and shown again.</li>
      </ul>
      <ReasonField help="Kept in the history of each policy. Optional." value={reason} onChange={setReason} />
    </FormDialog>
  );
}

/** Asks before a roll back, after the run's number was typed. */
export function RollBackDialog(props: DialogProps & { id: number; written: number; retentionDays: number }) {
  const { id, written, retentionDays, run, onClose } = props;
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: () => run(reason.trim()), onSuccess: onClose });
  return (
    <FormDialog
      onClose={onClose}
      title={`Roll back run ${id}`}
      description="What the run wrote is taken back. The export and its findings stay here, and a new run can convert it again."
      submitLabel={`Roll back ${pluralize(written, "patient")}`}
      danger
      cancelLabel="Keep as it is"
      busy={isPending}
      disabled={typed.trim() !== String(id) || reason.trim() === ""}
      error={toFormError(error, "Nothing was rolled back")}
      onSubmit={() => mutate()}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>
          Patients the run made are removed with their policies. What is removed is kept beside the run for{" "}
          {pluralize(retentionDays, "day")}.
        </li>
        <li>Patients it changed get back what they had, as further versions.</li>
        <li>Payers the run made or changed are removed or restored, unless something else uses them.</li>
        <li>Patients and payers that were changed since stay as they are, and are listed.</li>
        <li>Webhook events and the audit keep their entries.</li>
      </ul>
      <ReasonField
        required
        help="Kept with the run."
        value={reason}
        error={fieldErrors(error).reason?.[0]}
        onChange={setReason}
      />
      <TextField
        label={`Type ${id} to confirm`}
        required
        inputMode="numeric"
        autoComplete="off"
        className="max-w-56"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  );
}
