"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { staffCall } from "@/components/session/staff-call";
import { Notice } from "@/components/ui/notice";
import type { SettingsPage } from "@/lib/practice/practices/staff-queries";
import { ClockSection } from "./clock-section";
import { DuplicatesSection } from "./duplicates-section";
import { practicePage as text } from "./messages/practice";
import { VersioningSection } from "./versioning-section";

/** Shows the practice's settings: Insurance Versioning, the deprecation of legacy insurance, and duplicate patients. */
export function PracticeSettings({ practice, initial }: { practice: number; initial: SettingsPage }) {
  const router = useRouter();
  const client = useQueryClient();
  const key = ["settings", practice];
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => staffCall<SettingsPage>(`practices/${practice}/settings`, { signal }),
    initialData: initial,
  });
  const changed = (page: SettingsPage) => {
    client.setQueryData(key, page);
    // Other pages depend on these settings.
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "settings" });
    router.refresh();
  };
  const section = { practice, page: data, onChanged: changed, onStale: () => void refetch() };
  return (
    <div className="max-w-4xl">
      {error && (
        <Notice tone="bad" live title={text.notRefreshed}>
          {error.message}
        </Notice>
      )}
      <VersioningSection {...section} />
      <ClockSection {...section} />
      <DuplicatesSection {...section} />
    </div>
  );
}

/** The props of the sections. */
export interface SectionProps {
  practice: number;
  page: SettingsPage;
  onChanged: (page: SettingsPage) => void;
  /** Called if someone else changed the settings in the meantime. */
  onStale: () => void;
}
