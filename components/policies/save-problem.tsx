"use client";

import type { CallError } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/status";
import { FIELD_UNITS, inWords, labelOf } from "./fields";

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
    const inPlace = Object.keys(fields).filter((name) => FIELDS.has(name));
    const elsewhere = Object.entries(fields).filter(([name]) => !FIELDS.has(name));
    return (
      <Notice tone="bad" live title={`Not ${isNew ? "added" : "saved"}: some fields need another look`}>
        {inPlace.length > 0 && <p>{[...new Set(inPlace.map(labelOf))].join(", ")}.</p>}
        {elsewhere.map(([name, messages]) => (
          <p key={name}>
            {name === "non_field_errors" ? "" : `${labelOf(name)}: `}
            {inWords(messages.join(" "))}
          </p>
        ))}
      </Notice>
    );
  }
  if (status === 412) {
    return (
      <Notice tone="warning" live title="Not saved yet: somebody else changed this policy">
        <p className="mb-2">What you typed is still here. Compare it with theirs, decide, and save again.</p>
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
  return (
    <Notice
      tone="bad"
      live
      title={status === 0 ? "Not saved: the server can't be reached" : `Not ${isNew ? "added" : "saved"}`}
    >
      {status === 0
        ? "What you typed is still here. Check the connection and save again."
        : `${message} What you typed is still here.`}
    </Notice>
  );
}
