"use client";

import { type CallError, isUncertain } from "@/components/session/call-error";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { fieldLabel, isPolicyField, withFieldLabels } from "./fields";
import { saveProblem as text } from "./messages/save-problem";
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
      <Notice tone="bad" live title={isNew ? text.notAdded : text.notSaved}>
        {elsewhere.map(([name, messages]) => (
          <p key={name}>{describe(name, withFieldLabels(messages.join(" ")))}</p>
        ))}
      </Notice>
    );
  }
  if (code === HOLDER_CHANGED) {
    return (
      <Notice tone="bad" live title={text.rankTaken}>
        {text.keptAfter(message)}
      </Notice>
    );
  }
  if (status === 412) {
    return (
      <Notice tone="warning" live title={text.changed}>
        <p className="mb-2">{onCompare ? text.compareHelp : text.saveAgainHelp}</p>
        {onCompare && <Button onClick={onCompare}>{text.compare}</Button>}
      </Notice>
    );
  }
  if (code === "policy_archived" || status === 410) {
    return (
      <Notice tone="bad" live title={status === 410 ? text.deleted : text.archived}>
        {status === 410
          ? text.kept
          : text.archivedHelp((label) => (
              <a href={policyPath} target="_blank" rel="noreferrer" className="text-accent underline">
                {label}
              </a>
            ))}
      </Notice>
    );
  }
  if (code === "patient_mismatch") {
    return (
      <Notice tone="bad" live title={text.patientChanged}>
        {text.patientChangedHelp}
      </Notice>
    );
  }
  if (isUncertain(problem) || status === 0) {
    return (
      <Notice tone="bad" live title={status === 0 ? text.connectionLost : text.serverError}>
        {text.uncertainHelp}
      </Notice>
    );
  }
  return (
    <Notice tone="bad" live title={isNew ? text.notAdded : text.notSaved}>
      {text.keptAfter(message)}
    </Notice>
  );
}

/** Names the field of an error that the form does not show. */
function describe(name: string, error: string): string {
  return name === "non_field_errors" ? error : text.fieldError(fieldLabel(name), error);
}
