"use client";

import { ChangeList } from "@/components/ui/change-list";
import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import type { SectionProps } from "./practice-settings";
import { VersioningComparison } from "./versioning-comparison";
import { VersioningForm } from "./versioning-form";

const STATES = {
  on: "Insurance Versioning is on: staff see policies with their version history, and legacy writes update in place.",
  off: "Insurance Versioning is off: staff see only the legacy interface, and each legacy write replaces all of a patient's insurance.",
};

/** Shows the Insurance Versioning setting: its state, the effect of switching it, and its change history. */
export function VersioningSection({ practice, page, onChanged, onStale }: SectionProps) {
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
        <VersioningComparison now={now} then={then} />
        <VersioningForm practice={practice} page={page} onChanged={onChanged} onStale={onStale} />
      </div>
      <h3 className="mt-4 mb-2 font-medium">Change history</h3>
      <ChangeList
        label="Changes to Insurance Versioning"
        changes={changes}
        describe={({ changes }) =>
          `turned Insurance Versioning ${changes.insurance_versioning_enabled?.new ? "on" : "off"}`
        }
        none="No changes since the practice was created."
      />
    </Section>
  );
}
