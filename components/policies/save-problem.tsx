"use client";

import { type CallError, isUncertain } from "@/components/session/call-error";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { fieldLabel, isPolicyField, withFieldLabels } from "./fields";
import { HOLDER_CHANGED } from "./rank-holder";

interface SaveProblemProps {
  problem: CallError | null;
  isNew: boolean;
  /** The policy's page, or the patient's page for a new policy. */
  policyPath: string;
  /** Opens the comparison with what someone else has saved. */
  onCompare?: (() => void) | undefined;
}

/** Says why a policy was not saved and what to do. */
export function SaveProblem({ problem, isNew, policyPath, onCompare }: SaveProblemProps) {
  if (!problem) return null;
  const { status, code, message, fields } = problem;
  if (status === 400) {
    // The error summary above the form lists the errors of inputs.
    const elsewhere = Object.entries(fields).filter(([name]) => !isPolicyField(name));
    if (elsewhere.length === 0) return null;
    return (
      <Notice tone="bad" live title={`Not ${isNew ? "added" : "saved"}`}>
        {elsewhere.map(([name, messages]) => (
          <p key={name}>
            {name === "non_field_errors" ? "" : `${fieldLabel(name)}: `}
            {withFieldLabels(messages.join(" "))}
          </p>
        ))}
      </Notice>
    );
  }
  if (code === HOLDER_CHANGED) {
    return (
      <Notice tone="bad" live title="Not saved yet: another policy holds this rank now">
        {message} What you typed is still here.
      </Notice>
    );
  }
  if (status === 412) {
    return (
      <Notice tone="warning" live title="Not saved yet: someone else changed this policy">
        <p className="mb-2">
          What you typed is still here.{" "}
          {onCompare
            ? "Compare your changes with theirs, choose what to keep, and save again."
            : "Save again to see what they changed."}
        </p>
        {onCompare && <Button onClick={onCompare}>Compare</Button>}
      </Notice>
    );
  }
  if (code === "policy_archived" || status === 410) {
    return (
      <Notice
        tone="bad"
        live
        title={status === 410 ? "Not saved: this policy was deleted permanently" : "Not saved: this policy is archived"}
      >
        What you typed is still here.{" "}
        {status !== 410 && (
          <>
            Restore the policy{" "}
            <a href={policyPath} target="_blank" rel="noreferrer" className="text-accent underline">
              on its page (opens a new tab)
            </a>
            , then save again.
          </>
        )}
      </Notice>
    );
  }
  if (code === "patient_mismatch") {
    return (
      <Notice tone="bad" live title="Not saved: the patient's record has changed">
        The name and date of birth above are now up to date. Check that this is the right patient, then save again.
      </Notice>
    );
  }
  if (isUncertain(problem) || status === 0) {
    return (
      <Notice
        tone="bad"
        live
        title={`${status === 0 ? "Connection lost" : "Server error"}: we couldn't confirm that your change was saved`}
      >
        What you typed is still here. Check the connection and save again. We'll check whether your change was saved
        before saving again.
      </Notice>
    );
  }
  return (
    <Notice tone="bad" live title={`Not ${isNew ? "added" : "saved"}`}>
      {message} What you typed is still here.
    </Notice>
  );
}
