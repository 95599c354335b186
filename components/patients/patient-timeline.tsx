"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { patientPath } from "@/components/policies/paths";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import type { TimelineEntry } from "@/lib/insurance/patient-page/queries";
import { timeline as text } from "./messages/timeline";
import { entryKey, groupByAction } from "./timeline-actions";
import { TimelineItem } from "./timeline-item";
import { timelineKey } from "./use-patient";

export interface TimelinePage {
  results: TimelineEntry[];
  /** The cursor of the next page; null on the last one. */
  next: string | null;
}

interface PatientTimelineProps {
  practice: number;
  patient: number;
  initial: TimelinePage;
}

const FIRST_PAGE: string | null = null;

/** Lists what happened to a patient's record and policies, newest first. */
export function PatientTimeline({ practice, patient, initial }: PatientTimelineProps) {
  // Loading earlier entries is a user action and extends the session. Refreshing is not.
  const isRequested = useRef(false);
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: timelineKey(practice, patient),
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam ? `?after=${encodeURIComponent(pageParam)}` : "";
      return staffCall<TimelinePage>(`${patientPath(practice, patient)}/timeline${query}`, {
        signal,
        background: !isRequested.current,
      });
    },
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next }) => next,
    // The server does not load the timeline for the legacy interface. It is loaded once the page shows policies.
    initialData: initial.results.length > 0 ? { pages: [initial], pageParams: [FIRST_PAGE] } : undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const showEarlier = async () => {
    isRequested.current = true;
    await fetchNextPage();
    isRequested.current = false;
  };
  const actions = groupByAction(data?.pages.flatMap(({ results }) => results) ?? []);
  return (
    <Section compact title={text.title}>
      <div className="border-line bg-raised rounded-md border">
        {!data && !error ? (
          <div aria-busy className="bg-sunken m-3 h-24 animate-pulse rounded" />
        ) : actions.length === 0 ? (
          <EmptyState title={text.none}>{text.noneHelp}</EmptyState>
        ) : (
          <ol>
            {actions.map((action) => (
              <TimelineItem key={entryKey(action[0])} action={action} practice={practice} patient={patient} />
            ))}
          </ol>
        )}
      </div>
      {error && (
        <div className="mt-2">
          <Notice tone="bad" live title={text.failed}>
            {error.message}
          </Notice>
        </div>
      )}
      {hasNextPage && (
        <Button className="screen-only mt-2 w-full" busy={isFetchingNextPage} onClick={() => void showEarlier()}>
          {text.showEarlier}
        </Button>
      )}
    </Section>
  );
}
