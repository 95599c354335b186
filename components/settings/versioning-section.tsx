"use client";

import { Section } from "@/components/ui/section";
import { Status } from "@/components/ui/status";
import { versioning as text } from "./messages/practice";
import type { SectionProps } from "./practice-settings";
import { SettingHistory } from "./setting-history";
import { VersioningComparison } from "./versioning-comparison";
import { VersioningForm } from "./versioning-form";

/** Shows the Insurance Versioning setting: its state, the effect of switching it, and its change history. */
export function VersioningSection({ practice, page, onChanged, onStale }: SectionProps) {
  const on = page.settings.insurance_versioning_enabled;
  const [now, then] = on ? (["on", "off"] as const) : (["off", "on"] as const);
  return (
    <Section title={text.title}>
      <div className="border-line bg-raised rounded-md border">
        <div className="border-line border-b px-4 py-3">
          <Status kind={on ? "active" : "archived"}>{on ? text.on : text.off}</Status>
          <p className="mt-1 max-w-2xl" role="status">
            {on ? text.stateOn : text.stateOff}
          </p>
        </div>
        <VersioningComparison now={now} then={then} />
        <VersioningForm practice={practice} page={page} onChanged={onChanged} onStale={onStale} />
      </div>
      <SettingHistory
        label={text.historyLabel}
        fields={["insurance_versioning_enabled"]}
        changes={page.changes}
        describe={({ changes }) => text.turned(Boolean(changes.insurance_versioning_enabled?.new))}
      />
    </Section>
  );
}
