"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { CallError, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { CheckField, RadioField } from "@/components/ui/check-field";
import { DateField } from "@/components/ui/date-field";
import { TextField } from "@/components/ui/field";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { useZone } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import type { SettingsPage } from "@/lib/practice/practices/staff-queries";
import { ClockEffect } from "./clock-effect";
import { deprecationForm as text } from "./messages/practice";
import type { SectionProps } from "./practice-settings";
import { type ClockMode, useClockDraft } from "./use-clock-draft";

const MODES: { value: ClockMode; label: string; help: string }[] = [
  {
    value: "announce",
    label: text.announce,
    help: text.announceHelp,
  },
  {
    value: "enforce",
    label: text.enforce,
    help: text.enforceHelp,
  },
];

/** Shows the form that changes the deprecation date, the mode and the rehearsal. */
export function ClockForm({ practice, page, onChanged, onStale }: SectionProps) {
  const zone = useZone();
  const toast = useToasts();
  const { settings, ended, users } = page;
  const draft = useClockDraft(settings, zone);
  const { date, mode, isRehearsed, rehearsalTime, unsaved, change } = draft;
  const [reason, setReason] = useState("");
  const willEnd = mode === "enforce" && Date.parse(`${date}T00:00:00Z`) <= Date.parse(rehearsalTime ?? isoNow());
  const save = useMutation({
    mutationFn: () =>
      staffCall<SettingsPage>(`practices/${practice}/settings/clock`, {
        method: "PUT",
        body: { date, mode, rehearsalTime },
        reason,
        ifMatch: settings.version,
      }),
    onSuccess: (next) => {
      onChanged(next);
      draft.reset();
      setReason("");
      toast.success(text.done);
    },
    onError: (error) => error instanceof CallError && error.status === 412 && onStale(),
  });
  const fields = save.error instanceof CallError ? save.error.fields : {};
  const failure = toFormError(save.error, text.failed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className="flex max-w-2xl flex-col gap-4">
      <LeaveGuard unsaved={unsaved > 0 && !save.isPending} what={text.changes(unsaved)} />
      <DateField
        label={text.date}
        required
        className="max-w-48"
        help={text.dateHelp}
        error={fields.date?.[0]}
        value={date}
        onChange={(next) => change({ date: next })}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">{text.mode}</legend>
        {MODES.map(({ value, label, help }) => (
          <RadioField
            key={value}
            name="mode"
            value={value}
            label={label}
            help={help}
            checked={mode === value}
            onChange={() => change({ mode: value })}
          />
        ))}
      </fieldset>
      <CheckField
        label={text.rehearse}
        help={text.rehearseHelp}
        checked={isRehearsed}
        onChange={(event) => change({ isRehearsed: event.target.checked })}
      />
      {isRehearsed && (
        <TextField
          label={text.time}
          type="datetime-local"
          required
          className="max-w-64"
          help={text.timeHelp(zone.replace("_", " "))}
          error={fields.rehearsalTime?.[0]}
          value={draft.local}
          onChange={(event) => change({ local: event.target.value })}
        />
      )}
      {unsaved > 0 && willEnd !== ended && <ClockEffect willEnd={willEnd} users={users} />}
      {unsaved > 0 && (
        <TextField
          label={text.reason}
          maxLength={500}
          help={text.reasonHelp}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      {failure && Object.keys(fields).length === 0 && (
        <Notice tone="bad" live title={failure.title}>
          {save.error instanceof CallError && save.error.status === 412 ? text.conflict : failure.message}
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          kind={willEnd && !ended ? "danger" : "primary"}
          busy={save.isPending}
          disabled={unsaved === 0 || (isRehearsed && rehearsalTime === null)}
        >
          {willEnd && !ended ? text.submitNow : text.submit}
        </Button>
        <span role="status" className="text-soft">
          {unsaved > 0 ? text.unsaved(unsaved) : text.noChanges}
        </span>
      </div>
    </form>
  );
}

const isoNow = () => new Date().toISOString();
