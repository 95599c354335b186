"use client";

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/status";

interface ConfirmProps {
  title: string;
  /** What happens, to whom, and whether it can be undone. */
  description: string;
  /** The act, in words. */
  act: string;
  danger?: boolean;
  children?: ReactNode;
  run: (reason: string) => Promise<void>;
  onClose: () => void;
}

/** Asks before an act that somebody else will feel; a refusal is told in place. */
export function ConfirmDialog({ title, description, act, danger = true, children, run, onClose }: ConfirmProps) {
  const [reason, setReason] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: () => run(reason), onSuccess: onClose });
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Keep as it is</Button>
          <Button kind={danger ? "danger" : "primary"} busy={isPending} onClick={() => mutate()}>
            {act}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        {children}
        <TextField
          label="Reason"
          help="Kept with the change."
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {error && (
          <Notice tone="bad" live title="Nothing was changed">
            {error.message}
          </Notice>
        )}
      </form>
    </Dialog>
  );
}
