"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { useToasts } from "@/components/ui/toasts";
import type { StaffSubscription } from "@/lib/events/subscriptions/staff-queries";
import { EventsNav } from "./events-nav";
import { subscriptionsPage as text } from "./messages/subscriptions";
import { ResumeDialog } from "./resume-dialog";
import { subscriptionColumns } from "./subscription-columns";

interface Found {
  results: StaffSubscription[];
}

/** Shows the webhook subscriptions that receive the practice's events, and their delivery state. */
export function SubscriptionList({ practice, initial }: { practice: number; initial: Found }) {
  const path = `practices/${practice}/subscriptions`;
  const [resuming, setResuming] = useState<StaffSubscription | null>(null);
  const toast = useToasts();
  const { data, error, refetch } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => staffCall<Found>(path, { signal, background: true }),
    initialData: initial,
    refetchInterval: 10_000,
    retry: false,
  });
  return (
    <>
      <PageHeader trail={[{ label: text.events, href: `/practices/${practice}/events` }]} title={text.title} />
      <EventsNav practice={practice} current="subscriptions" />
      {error && (
        <div className="mb-3">
          <Notice tone="warning" live title={text.outOfDate}>
            {error.message}
          </Notice>
        </div>
      )}
      <DataTable
        label={text.title}
        columns={subscriptionColumns(practice, setResuming)}
        rows={data.results}
        empty={
          <EmptyState title={text.empty}>
            {text.emptyHelp(<code className="font-mono">{text.request}</code>)}
          </EmptyState>
        }
      />
      {resuming && (
        <ResumeDialog
          path={`${path}/${resuming.id}/resume`}
          subscription={resuming}
          onClose={() => setResuming(null)}
          onDone={() => {
            setResuming(null);
            void refetch();
            toast.success(text.resumed(resuming.client_name));
          }}
        />
      )}
    </>
  );
}
