"use client";

import { Notice } from "@/components/ui/notice";
import type { SwitchEffect } from "@/lib/insurance/commands/rehearse-versioning";
import type { SettingsPage } from "@/lib/practice/practices/staff-queries";
import { versioningPreview as text } from "./messages/practice";

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
      <Notice tone="bad" live title={text.failed}>
        {problem}
      </Notice>
    );
  const writers = page.users.filter(({ writes }) => writes > 0);
  const facts = effect && [
    text.insured(effect.insured, effect.patients),
    text.unchanged(effect.active, effect.archived, effect.images),
    enabled ? text.historyShown(effect.changed) : text.historyHidden(effect.changed),
    writers.length > 0 ? text.writers(writers.map((user) => user.client_name)) : text.noWriters,
    text.notified(effect.notified),
  ];
  return (
    <div aria-live="polite">
      <p className="font-medium">{text.title}</p>
      <p className="text-soft text-sm">{text.lead(enabled)}</p>
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
