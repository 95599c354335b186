"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { CallError, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { CheckField, RadioField } from "@/components/ui/check-field";
import { DateField } from "@/components/ui/date-field";
import { TextField } from "@/components/ui/field";
import { pluralize } from "@/components/ui/format";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { useZone } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import type { SettingsPage } from "@/lib/practice/practices/staff-queries";
import { ClockEffect } from "./clock-effect";
import type { SectionProps } from "./practice-settings";
import { type ClockMode, useClockDraft } from "./use-clock-draft";

const MODES: { value: ClockMode; label: string; help: string }[] = [
  {
    value: "announce",
    label: "Announce",
    help: "Legacy insurance keeps working. Responses that contain it announce the date and the policy endpoints.",
  },
  {
    value: "enforce",
    label: "Enforce",
    help: "From that date on, writes that contain insurance are rejected (422) and reads omit it.",
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
      toast.success("Deprecation settings saved.");
    },
    onError: (error) => error instanceof CallError && error.status === 412 && onStale(),
  });
  const fields = save.error instanceof CallError ? save.error.fields : {};
  const failure = toFormError(save.error, "Nothing was saved");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className="flex max-w-2xl flex-col gap-4">
      <LeaveGuard unsaved={unsaved > 0 && !save.isPending} what={pluralize(unsaved, "change")} />
      <DateField
        label="Deprecation date"
        required
        className="max-w-48"
        help="Starts at midnight UTC."
        error={fields.date?.[0]}
        value={date}
        onChange={(next) => change({ date: next })}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">Mode</legend>
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
        label="Rehearse at another time"
        help="Until you end the rehearsal, this practice's rules apply as of that time, for every client. Enforcement is real: writes are rejected."
        checked={isRehearsed}
        onChange={(event) => change({ isRehearsed: event.target.checked })}
      />
      {isRehearsed && (
        <TextField
          label="Rehearsal time"
          type="datetime-local"
          required
          className="max-w-64"
          help={`In the practice's time zone (${zone.replace("_", " ")}).`}
          error={fields.rehearsalTime?.[0]}
          value={draft.local}
          onChange={(event) => change({ local: event.target.value })}
        />
      )}
      {unsaved > 0 && willEnd !== ended && <ClockEffect willEnd={willEnd} users={users} />}
      {unsaved > 0 && (
        <TextField
          label="Reason"
          maxLength={500}
          help="Saved with the change."
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      {failure && Object.keys(fields).length === 0 && (
        <Notice tone="bad" live title={failure.title}>
          {save.error instanceof CallError && save.error.status === 412
            ? "Someone else changed the settings. The current settings are shown above, and your changes are kept. Review them, then save."
            : failure.message}
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          kind={willEnd && !ended ? "danger" : "primary"}
          busy={save.isPending}
          disabled={unsaved === 0 || (isRehearsed && rehearsalTime === null)}
        >
          {willEnd && !ended ? "Reject legacy insurance now" : "Save deprecation settings"}
        </Button>
        <span role="status" className="text-soft">
          {unsaved > 0 ? `${pluralize(unsaved, "change")} not saved` : "No changes"}
        </span>
      </div>
    </form>
  );
}

const isoNow = () => new Date().toISOString();
