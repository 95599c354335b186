"use client";

import { useState } from "react";
import { fromLocalInput, toLocalInput } from "@/components/ui/zone-time";
import type { SettingsPage } from "@/lib/practice/practices/staff-queries";

export type ClockMode = "announce" | "enforce";

/** Unsaved changes. */
interface Draft {
  date?: string;
  mode?: ClockMode;
  isRehearsed?: boolean;
  /** The value of the rehearsal input, in the practice's time zone. */
  local?: string;
}

/** Returns the deprecation settings with the user's unsaved changes, and how many there are. */
export function useClockDraft(settings: SettingsPage["settings"], zone: string) {
  const [draft, setDraft] = useState<Draft>({});
  const date = draft.date ?? settings.deprecation_date;
  const mode = draft.mode ?? settings.deprecation_mode;
  const isRehearsed = draft.isRehearsed ?? settings.rehearsal_time !== null;
  const savedLocal = settings.rehearsal_time ? toLocalInput(settings.rehearsal_time, zone) : null;
  const local = draft.local ?? savedLocal ?? `${date}T09:00`;
  // The input has no seconds, so an unchanged time is kept in full.
  const chosenTime = local === savedLocal ? settings.rehearsal_time : fromLocalInput(local, zone);
  const rehearsalTime = isRehearsed ? chosenTime : null;
  const unsaved = [
    date !== settings.deprecation_date,
    mode !== settings.deprecation_mode,
    rehearsalTime !== settings.rehearsal_time,
  ].filter(Boolean).length;
  const change = (values: Draft) => setDraft((before) => ({ ...before, ...values }));
  return { date, mode, isRehearsed, local, rehearsalTime, unsaved, change, reset: () => setDraft({}) };
}
