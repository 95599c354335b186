"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { CallError, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { TextAreaField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { useToasts } from "@/components/ui/toasts";
import type { SwitchEffect } from "@/lib/insurance/commands/rehearse-versioning";
import type { SettingsPage } from "@/lib/practice/practices/staff-queries";
import { versioningForm as text } from "./messages/practice";
import type { SectionProps } from "./practice-settings";
import { VersioningEffect } from "./versioning-effect";

/** Shows the form that switches Insurance Versioning, with a preview of the effect. */
export function VersioningForm({ practice, page, onChanged, onStale }: SectionProps) {
  const toast = useToasts();
  const [reason, setReason] = useState("");
  const enabled = !page.settings.insurance_versioning_enabled;
  const path = `practices/${practice}/settings/versioning`;
  const effect = useQuery({
    queryKey: ["versioning-effect", practice, enabled],
    queryFn: ({ signal }) => staffCall<SwitchEffect>(path, { signal }),
  });
  const turn = useMutation({
    mutationFn: () =>
      staffCall<SettingsPage>(path, { method: "PUT", body: { enabled }, reason, ifMatch: page.settings.version }),
    onSuccess: (next) => {
      onChanged(next);
      setReason("");
      toast.success(text.done(enabled));
    },
    onError: (error) => error instanceof CallError && error.status === 412 && onStale(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    turn.mutate();
  };
  const failure = toFormError(turn.error, text.failed);
  const problem = turn.error instanceof CallError ? turn.error.fields.reason?.[0] : undefined;
  return (
    <form onSubmit={submit} className="flex flex-col gap-4 px-4 py-4">
      <VersioningEffect enabled={enabled} effect={effect.data} problem={effect.error?.message} page={page} />
      <TextAreaField
        label={text.reason}
        required
        className="max-w-2xl"
        maxLength={500}
        rows={2}
        help={text.reasonHelp}
        error={problem}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {failure && !problem && (
        <Notice tone="bad" live title={failure.title}>
          {turn.error instanceof CallError && turn.error.status === 412 ? text.conflict : failure.message}
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button type="submit" kind="primary" busy={turn.isPending} disabled={reason.trim() === ""}>
          {effect.data ? text.submitFor(enabled, effect.data.patients) : text.submit(enabled)}
        </Button>
        <span className="text-soft">{text.undo}</span>
      </div>
    </form>
  );
}
