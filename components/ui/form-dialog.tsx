"use client";

import { type ReactNode, useId } from "react";
import { Button } from "./button";
import { Dialog, type DialogProps } from "./dialog";
import { Notice } from "./notice";

interface FormDialogProps extends Omit<DialogProps, "open" | "footer"> {
  /** What the button does, in words: `Archive policy`. */
  act: ReactNode;
  danger?: boolean;
  /** The way out without it. */
  cancel?: string;
  busy: boolean;
  disabled?: boolean;
  /** Said above the inputs where it was refused; nothing typed is lost. */
  failure?: { title: string; why: ReactNode } | null | false | undefined;
  onSubmit: () => void;
}

/** A layer that asks for something and does one thing with it: by its button, or by Enter in a field. */
export function FormDialog(props: FormDialogProps) {
  const {
    act,
    danger = false,
    cancel = "Cancel",
    busy,
    disabled = false,
    failure,
    onSubmit,
    children,
    ...rest
  } = props;
  const id = useId();
  return (
    <Dialog
      open
      {...rest}
      footer={
        <>
          <Button onClick={rest.onClose}>{cancel}</Button>
          <Button kind={danger ? "danger" : "primary"} type="submit" form={id} busy={busy} disabled={disabled}>
            {act}
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
        {failure && (
          <Notice tone="bad" live title={failure.title}>
            {failure.why}
          </Notice>
        )}
        {children}
      </form>
    </Dialog>
  );
}
