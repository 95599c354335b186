"use client";

import { type CallError, isUncertain } from "@/components/session/call-error";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { FIELD_UNITS, fieldLabel, withFieldLabels } from "./fields";
import { HOLDER_CHANGED } from "./rank-holder";

interface SaveProblemProps {
  problem: CallError | null;
  isNew: boolean;
  /** The policy's page, or the patient's for a new one. */
  policyPath: string;
  /** Opens the comparison with what somebody else saved. */
  onCompare?: () => void;
}

const FIELDS = new Set<string>(FIELD_UNITS.flatMap(({ fields }) => fields));

/** Why a policy was not saved, that what was typed is still there, and what to do. */
export function SaveProblem({ problem, isNew, policyPath, onCompare }: SaveProblemProps) {
  if (!problem) return null;
  const { status, code, message, fields } = problem;
  if (status === 400) {
    // What is wrong with an input is told above the form, with the way there.
    const elsewhere = Object.entries(fields).filter(([name]) => !FIELDS.has(name));
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
      <Notice tone="bad" live title="Not saved yet: who holds this rank has changed">
        {message} What you typed is still here.
      </Notice>
    );
  }
  if (status === 412) {
    return (
      <Notice tone="warning" live title="Not saved yet: somebody else changed this policy">
        <p className="mb-2">
          What you typed is still here.{" "}
          {onCompare ? "Compare it with theirs, decide, and save again." : "Save again to see what they changed."}
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
        Their name or date of birth above is the new one. Check that this is the right patient, then save again.
      </Notice>
    );
  }
  if (isUncertain(problem) || status === 0) {
    return (
      <Notice
        tone="bad"
        live
        title={`It may have been saved: ${status === 0 ? "the server can't be reached" : "the server broke off"}`}
      >
        What you typed is still here. Check the connection and save again: it is looked first whether it was saved.
      </Notice>
    );
  }
  return (
    <Notice tone="bad" live title={`Not ${isNew ? "added" : "saved"}`}>
      {message} What you typed is still here.
    </Notice>
  );
}
