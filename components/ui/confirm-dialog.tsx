"use client";

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { toFormError } from "@/components/session/call-error";
import { ReasonField } from "./field";
import { FormDialog } from "./form-dialog";
import { dialog as text } from "./messages/dialogs";

interface ConfirmDialogProps {
  title: string;
  /** What happens, who is affected, and whether it can be undone. */
  description: string;
  submitLabel: string;
  danger?: boolean;
  children?: ReactNode;
  run: (reason: string) => Promise<void>;
  onClose: () => void;
}

/** Asks for confirmation and an optional reason before an action that affects other people. Shows a failure in place. */
export function ConfirmDialog({
  title,
  description,
  submitLabel,
  danger = true,
  children,
  run,
  onClose,
}: ConfirmDialogProps) {
  const [reason, setReason] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: () => run(reason), onSuccess: onClose });
  return (
    <FormDialog
      onClose={onClose}
      title={title}
      description={description}
      submitLabel={submitLabel}
      danger={danger}
      busy={isPending}
      error={toFormError(error, text.nothingChanged)}
      onSubmit={() => mutate()}
    >
      {children}
      <ReasonField help={text.reasonHelp} value={reason} onChange={setReason} />
    </FormDialog>
  );
}
