"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { useToasts } from "@/components/ui/toasts";
import type { RecordFinding } from "@/lib/migration/check/record-queries";
import type { CorrectedValue } from "@/lib/migration/findings/corrections";
import { fieldWords } from "@/lib/migration/findings/field-words";
import { MAX_FINDINGS } from "@/lib/migration/runs/run-states";
import { CorrectionInput } from "./correction-input";
import { type DecisionResult, decisionText, correctionForm as text } from "./messages/decisions";
import { valueText } from "./messages/terms";

type Values = Record<string, CorrectedValue>;

interface CorrectionFormProps {
  /** The path of the run in the staff API. */
  runPath: string;
  finding: RecordFinding;
  onClose: () => void;
  /** Called after the record was checked with the correction. */
  onDone: () => Promise<void>;
}

/** Asks for the correct values of a finding. The server checks the record with them, and stores them only if that resolves the finding. */
export function CorrectionForm({ runPath, finding, onClose, onDone }: CorrectionFormProps) {
  const toast = useToasts();
  const { inputs, found, like } = finding;
  const [values, setValues] = useState<Values>({});
  const correct = useMutation({
    mutationFn: (findings: { ids: number[] } | { like: number }) =>
      staffCall<DecisionResult>(`${runPath}/decisions`, {
        method: "POST",
        body: { findings, decision: { decide: "correct", values } },
      }),
    onSuccess: async (result) => {
      toast.success(decisionText(result, "correct"));
      await onDone();
    },
  });
  const wrong = fieldErrors(correct.error);
  const isShown = inputs.some(({ field }) => wrong[field]);
  const isEmpty = Object.keys(values).length === 0;
  const alike = like > MAX_FINDINGS ? text.moreAlike(MAX_FINDINGS) : text.alike(like);
  const save = () => correct.mutate({ ids: [finding.id] });
  const wrongInput = inputs.find(({ field }) => field === finding.field) ?? inputs[0];
  return (
    <form
      aria-label={text.label}
      className="mt-2 flex w-full max-w-xl flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty && !correct.isPending) save();
      }}
    >
      {correct.error && !isShown && <FailureNotice error={correct.error} />}
      <div className="grid items-start gap-3 sm:grid-cols-2">
        {inputs.map((input) => (
          <CorrectionInput
            key={input.field}
            input={input}
            runPath={runPath}
            value={values[input.field]}
            error={wrong[input.field]?.[0]}
            autoFocus={input === wrongInput}
            onChange={(changed) => setValues((before) => ({ ...before, ...changed }))}
          />
        ))}
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Button size="small" kind="quiet" onClick={onClose}>
          {text.cancel}
        </Button>
        {canRepeat(finding) && (
          <Button
            size="small"
            busy={correct.isPending}
            disabled={isEmpty}
            onClick={() => correct.mutate({ like: finding.id })}
          >
            {like > MAX_FINDINGS ? text.first(MAX_FINDINGS) : text.all(like)}
          </Button>
        )}
        <Button size="small" kind="primary" type="submit" busy={correct.isPending} disabled={isEmpty}>
          {text.submit}
        </Button>
      </div>
      {canRepeat(finding) && (
        <p className="text-soft text-sm">
          {found === null
            ? text.noValue(alike, fieldWords(inputs[0]?.field ?? ""))
            : text.sameValue(alike, <code className="font-mono break-all">{valueText(found).slice(0, 80)}</code>)}
        </p>
      )}
    </form>
  );
}

function FailureNotice({ error }: { error: Error }) {
  const failure = toFormError(error, text.failed);
  const [message] = Object.values(fieldErrors(error)).flat();
  return (
    <Notice tone="bad" live title={failure?.title ?? ""}>
      {typeof message === "string" ? message : failure?.message}
    </Notice>
  );
}

/** Returns whether one value can be right for all findings alike. Names, IDs and dates that are missing differ by record. */
function canRepeat({ decision, found, inputs, like }: RecordFinding): boolean {
  if (decision !== "open" || like < 2 || inputs.some(({ field }) => field === "id")) return false;
  return found !== null || inputs.every(({ kind }) => kind === "choice" || kind === "payer");
}
