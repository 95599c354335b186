"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { errorMessage } from "@/components/ui/error-message";
import { TextAreaField, TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import type { WhatWouldHappen } from "@/lib/migration/what-if/what-would-happen";
import { whatIf as words } from "./messages/what-if";
import { runTrail } from "./paths";
import { RecordedCalls } from "./recorded-calls";
import { RehearsalResult } from "./rehearsal-result";

const EXAMPLE = '{\n  "insurances": []\n}';

/** Previews a legacy write with Insurance Versioning on and off, before and after the deadline. */
export function WhatIf({ practice, base }: { practice: number; base: string }) {
  const [patient, setPatient] = useState("");
  const [text, setText] = useState(EXAMPLE);
  const [bodyError, setBodyError] = useState<string | null>(null);
  const rehearse = useMutation({
    mutationFn: () => {
      const body = { patient: Number(patient), body: JSON.parse(text) };
      return staffCall<WhatWouldHappen>(`practices/${practice}/migrations/rehearsals`, { method: "POST", body });
    },
  });
  const submit = () => {
    setBodyError(null);
    try {
      JSON.parse(text);
    } catch (error) {
      setBodyError(words.notJson(errorMessage(error)));
      return;
    }
    rehearse.mutate();
  };
  // A result is only valid for the input it was computed from.
  const change = (id: string, body: string) => {
    setPatient(id);
    setText(body);
    rehearse.reset();
  };
  const failure = toFormError(rehearse.error, words.failed);
  const problems = fieldErrors(rehearse.error);
  return (
    <>
      <PageHeader trail={runTrail(practice)} title={words.title} meta={words.lead} />
      <form
        className="mb-8 flex max-w-2xl flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <RecordedCalls onChoose={({ patient: id, body }) => change(String(id), JSON.stringify(body, null, 2))} />
        <TextField
          label={words.patient}
          required
          inputMode="numeric"
          className="max-w-56"
          value={patient}
          error={problems.patient?.[0]}
          onChange={(event) => change(event.target.value, text)}
        />
        <TextAreaField
          label={words.body}
          required
          rows={12}
          spellCheck={false}
          className="[&_textarea]:font-mono [&_textarea]:text-sm"
          value={text}
          error={bodyError ?? undefined}
          onChange={(event) => change(patient, event.target.value)}
        />
        {failure && (
          <Notice tone="bad" live title={failure.title}>
            {failure.message}
            {Object.entries(problems).map(([field, messages]) => (
              <p key={field}>
                <code className="font-mono">{field}</code>: {messages.join(" ")}
              </p>
            ))}
          </Notice>
        )}
        <div>
          <Button kind="primary" type="submit" busy={rehearse.isPending} disabled={!/^\d{1,15}$/.test(patient)}>
            {words.submit}
          </Button>
        </div>
      </form>
      {rehearse.data && <RehearsalResult result={rehearse.data} base={base} />}
    </>
  );
}
