"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import type { StaffSubscription } from "@/lib/events/subscriptions/staff-queries";
import { resumeDialog as text } from "./messages/subscriptions";

/** Resumes the delivery of a paused subscription. */
export function ResumeDialog(props: {
  path: string;
  subscription: StaffSubscription;
  onClose: () => void;
  onDone: () => void;
}) {
  const { path, subscription, onClose, onDone } = props;
  const [reason, setReason] = useState("");
  const resume = useMutation({
    mutationFn: () => staffCall(path, { method: "POST", reason: reason.trim() }),
    onSuccess: onDone,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={text.title(subscription.client_name)}
      description={<span className="break-words">{text.description(subscription.open, subscription.target)}</span>}
      submitLabel={text.submit}
      busy={resume.isPending}
      disabled={reason.trim() === ""}
      error={toFormError(resume.error, text.failed)}
      onSubmit={() => resume.mutate()}
    >
      <ReasonField
        required
        help={text.reasonHelp}
        value={reason}
        error={fieldErrors(resume.error).reason?.[0]}
        onChange={setReason}
      />
    </FormDialog>
  );
}
