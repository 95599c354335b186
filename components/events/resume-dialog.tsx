"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { pluralize } from "@/components/ui/format";
import type { StaffSubscription } from "@/lib/events/subscriptions/staff-queries";

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
      title={`Resume subscription of ${subscription.client_name}?`}
      description={
        <span className="break-words">
          {pluralize(subscription.open, "waiting event")} of this practice will be sent to {subscription.target} now and
          retried for up to 72 hours. So will waiting events of your other practices that this client has access to.
        </span>
      }
      submitLabel="Resume subscription"
      busy={resume.isPending}
      disabled={reason.trim() === ""}
      error={toFormError(resume.error, "The subscription was not resumed")}
      onSubmit={() => resume.mutate()}
    >
      <ReasonField
        required
        help="For example: their server is back online. Saved in the history."
        value={reason}
        error={fieldErrors(resume.error).reason?.[0]}
        onChange={setReason}
      />
    </FormDialog>
  );
}
