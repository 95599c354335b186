"use client";

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { failureOf } from "@/components/session/staff-call";
import { ReasonField } from "./field";
import { FormDialog } from "./form-dialog";

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
    <FormDialog
      onClose={onClose}
      title={title}
      description={description}
      act={act}
      danger={danger}
      cancel="Keep as it is"
      busy={isPending}
      failure={failureOf(error, "Nothing was changed")}
      onSubmit={() => mutate()}
    >
      {children}
      <ReasonField help="Kept with the change." value={reason} onChange={setReason} />
    </FormDialog>
  );
}
