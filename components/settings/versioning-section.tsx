"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { CallError, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { ChangeList } from "@/components/ui/change-list";
import { TextAreaField } from "@/components/ui/field";
import { formatList, formatNumber, pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { useToasts } from "@/components/ui/toasts";
import type { SwitchEffect } from "@/lib/insurance/commands/rehearse-versioning";
import type { SettingsPage } from "@/lib/practice/practices/settings-queries";
import type { SectionProps } from "./practice-settings";

const STATES = {
  on: "Insurance Versioning is on: staff see policies with their version history, and legacy writes update in place.",
  off: "Insurance Versioning is off: staff see the legacy interface only, and each legacy write replaces all insurances of a patient.",
};

/** What each state does: specification, States and transitions. */
const EFFECTS: { what: string; on: string; off: string }[] = [
  {
    what: "Staff see",
    on: "Policies by rank, with version history, differences and restore",
    off: "The patient's insurances by priority, edited as a whole",
  },
  {
    what: "A legacy write with ids",
    on: "Updates the insurance in place; its id and card images stay",
    off: "Replaces all insurances of the patient; each gets a new id",
  },
  {
    what: "An insurance left out of a legacy write",
    on: "Is archived; the others stay as they are",
    off: "Ends, and so do all the others",
  },
  {
    what: "A card image by priority",
    on: "Is refused (422): uploads need a policy id",
    off: "Is accepted",
  },
  { what: "The policy endpoints", on: "Work", off: "Work" },
];

/** The Insurance Versioning switch: how it stands, what it would change, for how many, and who turned it before. */
export function VersioningSection({ practice, admin, page, onChanged, onStale }: SectionProps) {
  const on = page.settings.insurance_versioning_enabled;
  const [now, then] = on ? (["on", "off"] as const) : (["off", "on"] as const);
  const changes = page.changes.filter(({ changes }) => "insurance_versioning_enabled" in changes);
  return (
    <Section title="Insurance Versioning">
      <div className="border-line bg-raised rounded-md border">
        <div className="border-line border-b px-4 py-3">
          <Status kind={on ? "active" : "archived"}>{on ? "On" : "Off"}</Status>
          <p className="mt-1 max-w-2xl" role="status">
            {STATES[now]}
          </p>
        </div>
        <Comparison now={now} then={then} />
        {admin ? (
          <SwitchForm practice={practice} page={page} onChanged={onChanged} onStale={onStale} />
        ) : (
          <p className="text-soft px-4 py-3">An admin of the practice can turn it {then}.</p>
        )}
      </div>
      <h3 className="mt-4 mb-2 font-medium">Who turned it, and why</h3>
      <ChangeList
        label="Changes of Insurance Versioning"
        changes={changes}
        describe={({ changes }) => `turned it ${changes.insurance_versioning_enabled?.new ? "on" : "off"}`}
        none="Nobody has turned it since the practice was set up."
      />
    </Section>
  );
}

function Comparison({ now, then }: { now: "on" | "off"; then: "on" | "off" }) {
  return (
    <table aria-label="What the switch changes" className="w-full table-fixed border-collapse">
      <thead>
        <tr className="border-line border-b text-left">
          <th scope="col" className="px-4 py-2 font-medium">
            Now ({now})
          </th>
          <th scope="col" className="border-line bg-sunken border-l px-4 py-2 font-medium">
            After turning it {then}
          </th>
        </tr>
      </thead>
      <tbody>
        {EFFECTS.map((effect) => (
          <EffectRows key={effect.what} what={effect.what} before={effect[now]} after={effect[then]} />
        ))}
      </tbody>
    </table>
  );
}

function EffectRows({ what, before, after }: { what: string; before: string; after: string }) {
  const same = before === after;
  return (
    <>
      <tr>
        <th scope="rowgroup" colSpan={2} className="text-soft px-4 pt-2 text-left text-sm font-normal">
          {what}
        </th>
      </tr>
      <tr className="border-line border-b align-top">
        <td className="px-4 pb-2">{before}</td>
        <td className="px-4 pb-2">{same ? <span className="text-soft">Unchanged</span> : after}</td>
      </tr>
    </>
  );
}

function SwitchForm({ practice, page, onChanged, onStale }: Omit<SectionProps, "admin">) {
  const toast = useToasts();
  const [reason, setReason] = useState("");
  const enabled = !page.settings.insurance_versioning_enabled;
  const word = enabled ? "on" : "off";
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
      toast.success(`Insurance Versioning is ${word}.`);
    },
    onError: (error) => error instanceof CallError && error.status === 412 && onStale(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    turn.mutate();
  };
  const failure = toFormError(turn.error, "The switch was not turned");
  const problem = turn.error instanceof CallError ? turn.error.fields.reason?.[0] : undefined;
  return (
    <form onSubmit={submit} className="flex flex-col gap-4 px-4 py-4">
      <EffectCounts enabled={enabled} effect={effect.data} problem={effect.error?.message} page={page} />
      <TextAreaField
        label="Reason"
        required
        className="max-w-2xl"
        maxLength={500}
        rows={2}
        help="Kept with the change, for whoever asks later."
        error={problem}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {failure && !problem && (
        <Notice tone="bad" live title={failure.title}>
          {turn.error instanceof CallError && turn.error.status === 412
            ? "Somebody changed the settings meanwhile. They are shown as they stand now; look again, then decide."
            : failure.message}
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button type="submit" kind="primary" busy={turn.isPending} disabled={reason.trim() === ""}>
          Turn {word} Insurance Versioning
          {effect.data && ` for ${pluralize(effect.data.patients, "patient")}`}
        </Button>
        <span className="text-soft">
          It can be turned back at any time; what legacy writes replaced meanwhile stays replaced.
        </span>
      </div>
    </form>
  );
}

interface CountsProps {
  enabled: boolean;
  effect: SwitchEffect | undefined;
  problem: string | undefined;
  page: SettingsPage;
}

function EffectCounts({ enabled, effect, problem, page }: CountsProps) {
  if (problem)
    return (
      <Notice tone="bad" live title="What it affects could not be counted">
        {problem}
      </Notice>
    );
  const writers = page.users.filter(({ writes }) => writes > 0);
  const facts = effect && [
    `${formatNumber(effect.insured)} of ${pluralize(effect.patients, "patient")} have insurances: the next legacy write on each follows the new rule.`,
    `${pluralize(effect.active, "active policy", "active policies")} and ${formatNumber(effect.archived)} archived stay as they are, and so do ${pluralize(effect.images, "card image")}.`,
    `${pluralize(effect.changed, "active policy", "active policies")} changed before: their history is ${enabled ? "shown to staff" : "kept, and hidden from staff"}.`,
    writers.length > 0
      ? `${pluralize(writers.length, "API client")} wrote legacy insurances in the last 30 days: ${formatList(writers.map((user) => user.client_name))}.`
      : "No API client wrote legacy insurances in the last 30 days.",
    `${pluralize(effect.told, "subscription")} will hear that the practice changed.`,
  ];
  return (
    <div aria-live="polite">
      <p className="font-medium">What it affects</p>
      <p className="text-soft text-sm">
        From a rehearsal of the switch that kept nothing. No record is converted or deleted.
      </p>
      <ul className="mt-2 flex list-disc flex-col gap-1 pl-5">
        {facts
          ? facts.map((fact) => <li key={fact}>{fact}</li>)
          : EFFECTS.map(({ what }) => (
              <li key={what} className="list-none">
                <div className="bg-sunken h-5 w-3/4 animate-pulse rounded" />
              </li>
            ))}
      </ul>
    </div>
  );
}
