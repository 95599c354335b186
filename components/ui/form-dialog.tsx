"use client";

import { type ReactNode, useId } from "react";
import { Button } from "./button";
import { Dialog, type DialogProps } from "./dialog";
import { dialog as text } from "./messages/dialogs";
import { Notice } from "./notice";

interface FormDialogProps extends Omit<DialogProps, "open" | "footer"> {
  /** The action, as verb and noun: `Archive policy`. */
  submitLabel: ReactNode;
  danger?: boolean;
  cancelLabel?: string;
  busy: boolean;
  disabled?: boolean;
  /** Why the last attempt failed. Shown above the inputs, which keep their values. */
  error?: { title: string; message: ReactNode } | null | false | undefined;
  onSubmit: () => void;
}

/** Renders a dialog that holds a form. Its button and Enter in a field both submit. */
export function FormDialog({
  submitLabel,
  danger = false,
  cancelLabel = text.cancel,
  busy,
  disabled = false,
  error,
  onSubmit,
  children,
  ...dialog
}: FormDialogProps) {
  const id = useId();
  return (
    <Dialog
      open
      {...dialog}
      footer={
        <>
          <Button onClick={dialog.onClose}>{cancelLabel}</Button>
          <Button kind={danger ? "danger" : "primary"} type="submit" form={id} busy={busy} disabled={disabled}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && !disabled) onSubmit();
        }}
      >
        {error && (
          <Notice tone="bad" live title={error.title}>
            {error.message}
          </Notice>
        )}
        {children}
      </form>
    </Dialog>
  );
}
