"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { staffCall } from "@/components/session/staff-call";
import { Notice } from "@/components/ui/notice";
import type { SettingsPage } from "@/lib/practice/practices/settings-queries";
import { ClockSection } from "./clock-section";
import { VersioningSection } from "./versioning-section";

/** What holds for a practice: the Insurance Versioning switch, and the clock of the legacy insurances. */
export function PracticeSettings(props: { practice: number; admin: boolean; initial: SettingsPage }) {
  const { practice, admin, initial } = props;
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
    // What other pages show depends on the practice's rules.
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "settings" });
    router.refresh();
  };
  const section = { practice, admin, page: data, onChanged: changed, onStale: () => void refetch() };
  return (
    <div className="max-w-4xl">
      {error && (
        <Notice tone="bad" live title="The settings could not be brought up to date">
          {error.message}
        </Notice>
      )}
      <VersioningSection {...section} />
      <ClockSection {...section} />
    </div>
  );
}

/** What both parts of the page get. */
export interface SectionProps {
  practice: number;
  admin: boolean;
  page: SettingsPage;
  onChanged: (page: SettingsPage) => void;
  /** Somebody else changed the settings meanwhile. */
  onStale: () => void;
}
