"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { ConfirmField, isConfirmed } from "@/components/ui/confirm-field";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { formatNumber, pluralize } from "@/components/ui/format";
import type { RunPage } from "@/lib/migration/work/page-queries";

interface DialogProps {
  run: (reason: string) => Promise<void>;
  onClose: () => void;
}

/** Confirms a conversion: says what it writes, and that it can be rolled back. */
export function ConvertDialog({ data, waiting, run, onClose }: DialogProps & { data: RunPage; waiting: number }) {
  const [reason, setReason] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: () => run(reason.trim()), onSuccess: onClose });
  const { create, update, archive, unchanged, refused } = data.totals.insurances;
  const changing = Math.max(0, waiting - data.totals.patients.unchanged);
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
          {pluralize(create, "active policy", "active policies")} will be created, {formatNumber(update)} updated,{" "}
          {formatNumber(archive)} imported as history.
        </li>
        <li>
          {pluralize(unchanged, "insurance record")} stay unchanged; {formatNumber(refused)} are skipped with their
          patients.
        </li>
        <li>{describeEvents(changing, data.subscriptions)}</li>
        <li>Card images of the export are added to their policies.</li>
        <li>Patients whose record changes in the meantime are not converted, and are listed for another review.</li>
      </ul>
      <ReasonField help="Saved in the history of each policy. Optional." value={reason} onChange={setReason} />
    </FormDialog>
  );
}

const PHRASE = "ROLL BACK";

/** Confirms a rollback, after the user types `ROLL BACK`. */
export function RollBackDialog(props: DialogProps & { data: RunPage; written: number }) {
  const { written, run, onClose } = props;
  const { run: about, retention_days: retentionDays, subscriptions } = props.data;
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: () => run(reason.trim()), onSuccess: onClose });
  return (
    <FormDialog
      onClose={onClose}
      title={`Roll back run ${about.id}?`}
      description="Removes what the run wrote. The export and its findings are kept, and a new run can convert it again."
      submitLabel={`Roll back ${pluralize(written, "patient")}`}
      danger
      busy={isPending}
      disabled={!isConfirmed(typed, PHRASE) || reason.trim() === ""}
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
        <li>{describeEvents(written, subscriptions)} Earlier events and the audit log are kept.</li>
      </ul>
      <ReasonField
        required
        help="Saved with the run."
        value={reason}
        error={fieldErrors(error).reason?.[0]}
        onChange={setReason}
      />
      <ConfirmField phrase={PHRASE} value={typed} onChange={setTyped} />
    </FormDialog>
  );
}

/** Says how many webhook events a change to patients causes: one per patient and subscription. */
function describeEvents(patients: number, subscriptions: number): string {
  if (subscriptions === 0) return "No client subscribes to patients, so no webhook events are sent.";
  const events = pluralize(patients * subscriptions, "webhook event");
  return `Up to ${events} will be sent: one per patient to ${pluralize(subscriptions, "subscription")}.`;
}
