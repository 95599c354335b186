"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { ConfirmField, isConfirmed } from "@/components/ui/confirm-field";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import type { RunPage } from "@/lib/migration/work/page-queries";
import { convertDialog, rollBackDialog, webhookEvents } from "./messages/run-dialogs";
import { VERDICT_ORDER } from "./messages/terms";

interface DialogProps {
  run: (reason: string) => Promise<void>;
  onClose: () => void;
}

/** Confirms a conversion: says what it writes, and that it can be rolled back. */
export function ConvertDialog({ data, waiting, run, onClose }: DialogProps & { data: RunPage; waiting: number }) {
  const [reason, setReason] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: () => run(reason.trim()), onSuccess: onClose });
  const { insurances } = data.totals;
  const changing = Math.max(0, waiting - data.totals.patients.unchanged);
  return (
    <FormDialog
      onClose={onClose}
      title={convertDialog.title(waiting)}
      description={convertDialog.description}
      submitLabel={convertDialog.submit(waiting)}
      busy={isPending}
      error={toFormError(error, convertDialog.failed)}
      onSubmit={() => mutate()}
    >
      <ul className="list-disc space-y-1 pl-5">
        {VERDICT_ORDER.filter((verdict) => insurances[verdict] > 0).map((verdict) => (
          <li key={verdict}>{convertDialog.verdicts[verdict](insurances[verdict])}</li>
        ))}
        <li>{webhookEvents(changing, data.subscriptions)}</li>
        <li>{convertDialog.images}</li>
        <li>{convertDialog.edited}</li>
      </ul>
      <ReasonField help={convertDialog.reasonHelp} value={reason} onChange={setReason} />
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
      title={rollBackDialog.title(about.id)}
      description={rollBackDialog.description}
      submitLabel={rollBackDialog.submit(written)}
      danger
      busy={isPending}
      disabled={!isConfirmed(typed, PHRASE) || reason.trim() === ""}
      error={toFormError(error, rollBackDialog.failed)}
      onSubmit={() => mutate()}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>{rollBackDialog.created(retentionDays)}</li>
        <li>{rollBackDialog.changed}</li>
        <li>{rollBackDialog.payers}</li>
        <li>{rollBackDialog.edited}</li>
        <li>
          {webhookEvents(written, subscriptions)} {rollBackDialog.log}
        </li>
      </ul>
      <ReasonField
        required
        help={rollBackDialog.reasonHelp}
        value={reason}
        error={fieldErrors(error).reason?.[0]}
        onChange={setReason}
      />
      <ConfirmField phrase={PHRASE} value={typed} onChange={setTyped} />
    </FormDialog>
  );
}
