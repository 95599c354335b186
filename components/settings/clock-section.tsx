"use client";

import { ChangeList } from "@/components/ui/change-list";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { Day, Time } from "@/components/ui/time";
import type { SettingsPage } from "@/lib/practice/practices/staff-queries";
import { describeClockChange } from "./change-messages";
import { ClockForm } from "./clock-form";
import type { SectionProps } from "./practice-settings";

const CLOCK_FIELDS = ["deprecation_date", "deprecation_mode", "rehearsal_time"];

/** Shows the deprecation of legacy insurance: its date, mode and rehearsal. */
export function ClockSection(props: SectionProps) {
  const { page } = props;
  const changes = page.changes.filter(({ changes }) => CLOCK_FIELDS.some((field) => field in changes));
  return (
    <Section
      title="Deprecation of legacy insurance"
      lead="The date by which clients must use policies instead of the insurance in the patient record."
    >
      <div className="border-line bg-raised flex flex-col gap-4 rounded-md border px-4 py-4">
        <CurrentState page={page} />
        <ClockForm {...props} />
      </div>
      <h3 className="mt-4 mb-2 font-medium">Change history</h3>
      <ChangeList
        label="Changes to the deprecation settings"
        changes={changes}
        describe={describeClockChange}
        none="No changes since the practice was created."
      />
    </Section>
  );
}

function CurrentState({ page: { settings, ended } }: { page: SettingsPage }) {
  const { deprecation_date, deprecation_mode, rehearsal_time } = settings;
  return (
    <div className="flex flex-col gap-1">
      <Status kind={ended ? "failed" : deprecation_mode === "enforce" ? "pending" : "good"}>
        {ended ? "Legacy access: off" : "Legacy access: on"}
      </Status>
      <p>
        Deprecated on <Day value={deprecation_date} />, {deprecation_mode === "enforce" ? "enforced" : "announced only"}
        .
        {rehearsal_time && (
          <>
            {" "}
            Rehearsal in progress: the practice's rules apply as of <Time value={rehearsal_time} exact />.
          </>
        )}
      </p>
    </div>
  );
}
