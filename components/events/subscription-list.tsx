"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { useToasts } from "@/components/ui/toasts";
import type { StaffSubscription } from "@/lib/events/subscriptions/staff-queries";
import { EventsNav } from "./events-nav";
import { subscriptionsPage as text } from "./messages/subscriptions";
import { ResumeDialog } from "./resume-dialog";
import { type SubscriptionAction, subscriptionColumns } from "./subscription-columns";

const ReplayDialog = lazyWithRetry(async () => (await import("./replay-dialog")).ReplayDialog);
const RotateSecretDialog = lazyWithRetry(async () => (await import("./rotate-secret-dialog")).RotateSecretDialog);
const TestEventDialog = lazyWithRetry(async () => (await import("./test-event-dialog")).TestEventDialog);

interface Found {
  results: StaffSubscription[];
}

/** Shows the webhook subscriptions that receive the practice's events, and their delivery state. */
export function SubscriptionList({ practice, initial }: { practice: number; initial: Found }) {
  const path = `practices/${practice}/subscriptions`;
  const [open, setOpen] = useState<{ act: SubscriptionAction; subscription: StaffSubscription } | null>(null);
  const close = () => setOpen(null);
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
        columns={subscriptionColumns(practice, (act, subscription) => setOpen({ act, subscription }))}
        rows={data.results}
        empty={
          <EmptyState title={text.empty}>
            {text.emptyHelp(<code className="font-mono">{text.request}</code>)}
          </EmptyState>
        }
      />
      {open?.act === "resume" && (
        <ResumeDialog
          path={`${path}/${open.subscription.id}/resume`}
          subscription={open.subscription}
          onClose={close}
          onDone={() => {
            close();
            void refetch();
            toast.success(text.resumed(open.subscription.client_name));
          }}
        />
      )}
      {open?.act === "rotate" && (
        <RotateSecretDialog
          path={`${path}/${open.subscription.id}/signing-secret`}
          subscription={open.subscription}
          onClose={close}
        />
      )}
      {open?.act === "replay" && (
        <ReplayDialog
          path={`${path}/${open.subscription.id}/replay`}
          subscription={open.subscription}
          onClose={close}
          onDone={(events) => {
            close();
            void refetch();
            toast.success(text.replayed(events));
          }}
        />
      )}
      {open?.act === "test" && (
        <TestEventDialog
          path={`${path}/${open.subscription.id}/test`}
          subscription={open.subscription}
          onClose={close}
        />
      )}
    </>
  );
}
