"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { CallError, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { ChangeList } from "@/components/ui/change-list";
import { CheckField, RadioField } from "@/components/ui/check-field";
import { TextField } from "@/components/ui/field";
import { formatList, pluralize } from "@/components/ui/format";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { Day, Time, useZone } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import { fromLocalInput, toLocalInput } from "@/components/ui/zone-time";
import type { SettingsPage } from "@/lib/practice/practices/settings-queries";
import { sayClockChange } from "./change-messages";
import type { SectionProps } from "./practice-settings";

type Mode = "announce" | "enforce";
/** What was chosen and not saved yet. */
interface Draft {
  date?: string;
  mode?: Mode;
  isRehearsed?: boolean;
  /** As the input holds it, on the practice's clocks. */
  local?: string;
}

const CLOCK = ["deprecation_date", "deprecation_mode", "rehearsal_time"];

const MODES: { value: Mode; label: string; help: string }[] = [
  {
    value: "announce",
    label: "Announce",
    help: "Legacy insurances go on working. Answers that carry them name the date, and the policy endpoints that follow.",
  },
  {
    value: "enforce",
    label: "Enforce",
    help: "From the date on, writes with insurances are refused (422) and reads leave them out.",
  },
];

/** The deprecation clock of the legacy insurances: date, mode, and a rehearsal of both. */
export function ClockSection(props: SectionProps) {
  const { admin, page } = props;
  const changes = page.changes.filter(({ changes }) => CLOCK.some((field) => field in changes));
  return (
    <Section
      title="Deprecation of legacy insurances"
      lead="When clients can no longer use the insurances of the patient record, and must have moved to policies."
    >
      <div className="border-line bg-raised flex flex-col gap-4 rounded-md border px-4 py-4">
        <Present page={page} />
        {admin && <ClockForm {...props} />}
      </div>
      <h3 className="mt-4 mb-2 font-medium">Who changed it, and why</h3>
      <ChangeList
        label="Changes of the deprecation"
        changes={changes}
        describe={sayClockChange}
        none="Nobody has changed it since the practice was set up."
      />
    </Section>
  );
}

function Present({ page: { settings, ended } }: { page: SettingsPage }) {
  const { deprecation_date, deprecation_mode, rehearsal_time } = settings;
  return (
    <div className="flex flex-col gap-1">
      <Status kind={ended ? "failed" : deprecation_mode === "enforce" ? "pending" : "good"}>
        {ended ? "Legacy insurances are refused" : "Legacy insurances work"}
      </Status>
      <p>
        Deprecated on <Day value={deprecation_date} />, {deprecation_mode === "enforce" ? "enforced" : "announced only"}
        .
        {rehearsal_time && (
          <>
            {" "}
            Rehearsed: the practice's rules take <Time value={rehearsal_time} exact /> for the present time.
          </>
        )}
      </p>
    </div>
  );
}

function ClockForm({ practice, page, onChanged, onStale }: SectionProps) {
  const zone = useZone();
  const toast = useToasts();
  const { settings, ended, users } = page;
  const [draft, setDraft] = useState<Draft>({});
  const [reason, setReason] = useState("");
  const change = (values: Draft) => setDraft((before) => ({ ...before, ...values }));

  const date = draft.date ?? settings.deprecation_date;
  const mode = draft.mode ?? settings.deprecation_mode;
  const isRehearsed = draft.isRehearsed ?? settings.rehearsal_time !== null;
  const keptLocal = settings.rehearsal_time ? toLocalInput(settings.rehearsal_time, zone) : null;
  const local = draft.local ?? keptLocal ?? `${date}T09:00`;
  const asChosen = local === keptLocal ? settings.rehearsal_time : fromLocalInput(local, zone);
  const rehearsalTime = isRehearsed ? asChosen : null;
  const unsaved = [
    date !== settings.deprecation_date,
    mode !== settings.deprecation_mode,
    rehearsalTime !== settings.rehearsal_time,
  ].filter(Boolean).length;
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
      setDraft({});
      setReason("");
      toast.success("The deprecation was changed.");
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
      <TextField
        label="Deprecation date"
        type="date"
        required
        className="max-w-48"
        help="From the start of this day on, UTC."
        error={fields.date?.[0]}
        value={date}
        onChange={(event) => change({ date: event.target.value })}
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
        help="This practice's rules take that time for the present one, for every client, until you end it. What enforcing does then is real: writes are refused."
        checked={isRehearsed}
        onChange={(event) => change({ isRehearsed: event.target.checked })}
      />
      {isRehearsed && (
        <TextField
          label="Rehearsal time"
          type="datetime-local"
          required
          className="max-w-64"
          help={`On the practice's clocks (${zone}).`}
          error={fields.rehearsalTime?.[0]}
          value={local}
          onChange={(event) => change({ local: event.target.value })}
        />
      )}
      {unsaved > 0 && willEnd !== ended && <Effect willEnd={willEnd} users={users} />}
      {unsaved > 0 && (
        <TextField
          label="Reason"
          maxLength={500}
          help="Kept with the change."
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      {failure && Object.keys(fields).length === 0 && (
        <Notice tone="bad" live title={failure.title}>
          {save.error instanceof CallError && save.error.status === 412
            ? "Somebody changed the settings meanwhile. What stands now is shown above, what you chose is kept: look again, then save."
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
          {willEnd && !ended ? "Refuse legacy insurances now" : "Save deprecation"}
        </Button>
        <span role="status" className="text-soft">
          {unsaved > 0 ? `${pluralize(unsaved, "change")} not saved` : "No changes"}
        </span>
      </div>
    </form>
  );
}

function Effect({ willEnd, users }: { willEnd: boolean; users: SettingsPage["users"] }) {
  const names = formatList(users.map(({ client_name }) => client_name));
  if (!willEnd)
    return (
      <Notice live title="Legacy insurances come back">
        From the moment you save, writes with insurances are accepted again and reads show them.
      </Notice>
    );
  return (
    <Notice tone="warning" live title="This takes effect at once">
      <p>
        From the moment you save, writes with insurances are refused and reads leave them out.{" "}
        {users.length > 0
          ? `${pluralize(users.length, "API client")} used them in the last 30 days: ${names}.`
          : "No API client used them in the last 30 days."}{" "}
        Nothing is deleted; going back to Announce undoes it.
      </p>
    </Notice>
  );
}

const isoNow = () => new Date().toISOString();
