"use client";

import { formatList, formatNumber, pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import type { SwitchEffect } from "@/lib/insurance/commands/rehearse-versioning";
import type { SettingsPage } from "@/lib/practice/practices/staff-queries";

const SKELETON_ROWS = [1, 2, 3, 4, 5];

interface VersioningEffectProps {
  enabled: boolean;
  effect: SwitchEffect | undefined;
  problem: string | undefined;
  page: SettingsPage;
}

/** Shows what switching would affect, counted by a dry run. */
export function VersioningEffect({ enabled, effect, problem, page }: VersioningEffectProps) {
  if (problem)
    return (
      <Notice tone="bad" live title="Couldn't preview the effect">
        {problem}
      </Notice>
    );
  const writers = page.users.filter(({ writes }) => writes > 0);
  const facts = effect && [
    `${formatNumber(effect.insured)} of ${pluralize(effect.patients, "patient")} have insurance. The next legacy write on each follows the new rule.`,
    `${pluralize(effect.active, "active policy", "active policies")} and ${formatNumber(effect.archived)} archived stay unchanged, and so do ${pluralize(effect.images, "card image")}.`,
    `${pluralize(effect.changed, "active policy", "active policies")} have a change history. It will be ${enabled ? "visible to staff" : "kept, but hidden from staff"}.`,
    writers.length > 0
      ? `${pluralize(writers.length, "API client")} wrote legacy insurance in the last 30 days: ${formatList(writers.map((user) => user.client_name))}.`
      : "No API client wrote legacy insurance in the last 30 days.",
    effect.notified === 0
      ? "No subscription will be notified that the practice changed."
      : `${pluralize(effect.notified, "subscription")} will be notified that the practice changed.`,
  ];
  return (
    <div aria-live="polite">
      <p className="font-medium">Effect</p>
      <p className="text-soft text-sm">
        This is a preview. Turning it {enabled ? "on" : "off"} doesn't convert or delete any records.
      </p>
      <ul className="mt-2 flex list-disc flex-col gap-1 pl-5">
        {facts
          ? facts.map((fact) => <li key={fact}>{fact}</li>)
          : SKELETON_ROWS.map((row) => (
              <li key={row} className="list-none">
                <div className="bg-sunken h-5 w-3/4 animate-pulse rounded" />
              </li>
            ))}
      </ul>
    </div>
  );
}
