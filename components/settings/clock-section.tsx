"use client";

import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { Day, Time } from "@/components/ui/time";
import type { SettingsPage } from "@/lib/practice/practices/staff-queries";
import { ClockForm } from "./clock-form";
import { describeClockChange, deprecation as text } from "./messages/practice";
import type { SectionProps } from "./practice-settings";
import { SettingHistory } from "./setting-history";

const CLOCK_FIELDS = ["deprecation_date", "deprecation_mode", "rehearsal_time"];

/** Shows the deprecation of legacy insurance: its date, mode and rehearsal. */
export function ClockSection(props: SectionProps) {
  const { page } = props;
  return (
    <Section title={text.title} lead={text.lead}>
      <div className="border-line bg-raised flex flex-col gap-4 rounded-md border px-4 py-4">
        <CurrentState page={page} />
        <ClockForm {...props} />
      </div>
      <SettingHistory
        label={text.historyLabel}
        fields={CLOCK_FIELDS}
        changes={page.changes}
        describe={describeClockChange}
      />
    </Section>
  );
}

function CurrentState({ page: { settings, ended } }: { page: SettingsPage }) {
  const { deprecation_date, deprecation_mode, rehearsal_time } = settings;
  const day = <Day value={deprecation_date} />;
  const isEnforced = deprecation_mode === "enforce";
  const hasPassed = Date.parse(deprecation_date) <= Date.now();
  return (
    <div className="flex flex-col gap-1">
      <Status kind={ended ? "failed" : hasPassed ? "warning" : isEnforced ? "pending" : "good"}>
        {ended ? text.off : text.on}
      </Status>
      <p>
        {isEnforced ? text.enforced(day) : hasPassed ? text.passed(day) : text.announced(day)}{" "}
        {rehearsal_time && text.rehearsed(<Time value={rehearsal_time} exact />)}
      </p>
    </div>
  );
}
