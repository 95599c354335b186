"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { SecretDialog } from "@/components/ui/secret-dialog";
import { useToasts } from "@/components/ui/toasts";
import type { NewSigningSecret } from "@/lib/events/subscriptions/schema";
import type { StaffSubscription } from "@/lib/events/subscriptions/staff-queries";
import { EventsNav } from "./events-nav";
import { signingSecretDialog } from "./messages/secrets";
import { subscriptionsPage as text } from "./messages/subscriptions";
import { ReplayDialog } from "./replay-dialog";
import { ResumeDialog } from "./resume-dialog";
import { RotateSecretDialog } from "./rotate-secret-dialog";
import { type SubscriptionAction, subscriptionColumns } from "./subscription-columns";
import { TestEventDialog } from "./test-event-dialog";

interface Found {
  results: StaffSubscription[];
}

type Open =
  | { act: SubscriptionAction; subscription: StaffSubscription }
  | { secret: NewSigningSecret; subscription: StaffSubscription };

/** Shows the webhook subscriptions that receive the practice's events, and their delivery state. */
export function SubscriptionList({ practice, initial }: { practice: number; initial: Found }) {
  const path = `practices/${practice}/subscriptions`;
  const [open, setOpen] = useState<Open | null>(null);
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
      {open && "act" in open && open.act === "resume" && (
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
      {open && "act" in open && open.act === "rotate" && (
        <RotateSecretDialog
          path={`${path}/${open.subscription.id}/signing-secret`}
          subscription={open.subscription}
          onClose={() => setOpen((now) => (now && "secret" in now ? now : null))}
          onDone={(secret) => setOpen({ secret, subscription: open.subscription })}
        />
      )}
      {open && "act" in open && open.act === "replay" && (
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
      {open && "act" in open && open.act === "test" && (
        <TestEventDialog
          path={`${path}/${open.subscription.id}/test`}
          subscription={open.subscription}
          onClose={close}
        />
      )}
      {open && "secret" in open && (
        <SecretDialog
          title={signingSecretDialog.title}
          description={signingSecretDialog.description}
          values={[
            { label: signingSecretDialog.endpoint, value: open.subscription.target },
            { label: signingSecretDialog.secret, value: open.secret.signing_secret },
          ]}
          onDone={close}
        />
      )}
    </>
  );
}
