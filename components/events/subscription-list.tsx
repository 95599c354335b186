"use client";

import { useQuery } from "@tanstack/react-query";
import type { ColumnDef } from "@tanstack/react-table";
import Link from "next/link";
import { useState } from "react";
import { CallError, staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { Dialog } from "@/components/ui/dialog";
import { EmptyState } from "@/components/ui/empty-state";
import { TextAreaField } from "@/components/ui/field";
import { PageHeader } from "@/components/ui/page-header";
import { Notice, Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import { EventsNav } from "./events-nav";
import { countOf, type Subscription } from "./types";

interface Found {
  results: Subscription[];
}

/** Where the practice's events go, and how their delivery stands; admins resume what was paused. */
export function SubscriptionList(props: { practice: number; canResume: boolean; initial: Found }) {
  const { practice, canResume, initial } = props;
  const path = `practices/${practice}/subscriptions`;
  const [resuming, setResuming] = useState<Subscription | null>(null);
  const toasts = useToasts();
  const { data, error, refetch } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => staffCall<Found>(path, { signal, background: true }),
    ...{ initialData: initial, refetchInterval: 10_000, retry: false },
  });
  return (
    <>
      <PageHeader title="Subscriptions" />
      <EventsNav practice={practice} current="subscriptions" />
      {error && (
        <div className="mb-3">
          <Notice tone="warning" live title="Not up to date">
            {error.message}
          </Notice>
        </div>
      )}
      <DataTable
        label="Subscriptions"
        columns={columnsFor(practice, canResume ? setResuming : null)}
        rows={data.results}
        empty={
          <EmptyState title="No client has subscribed">
            A client subscribes through the API (<code className="font-mono">POST subscriptions</code>). From then on it
            is told of each change of the records it named.
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
            toasts.done(`Events are sent to ${resuming.client_name} again.`);
          }}
        />
      )}
    </>
  );
}

function columnsFor(
  practice: number,
  onResume: ((subscription: Subscription) => void) | null,
): ColumnDef<Subscription>[] {
  const eventsOf = ({ target, resource }: Subscription, status: string) =>
    `/practices/${practice}/events?${new URLSearchParams({ target, resource, status })}`;
  const count = (subscription: Subscription, value: number, status: string) =>
    value === 0 ? (
      <span className="text-soft">0</span>
    ) : (
      <Link href={eventsOf(subscription, status)} className="inline-flex min-h-6 min-w-6 items-center hover:underline">
        {new Intl.NumberFormat("en-US").format(value)}
      </Link>
    );
  return [
    {
      header: "Client",
      meta: { className: "min-w-32" },
      cell: ({ row: { original } }) => <span className="font-medium">{original.client_name}</span>,
    },
    { header: "Records", cell: ({ row: { original } }) => original.resource.replaceAll("_", " ") },
    {
      header: "Target",
      meta: { className: "max-md:hidden" },
      cell: ({ row: { original } }) => <span className="wrap-anywhere">{original.target}</span>,
    },
    { header: "Delivery", cell: ({ row: { original } }) => <Health subscription={original} /> },
    {
      header: "Open",
      meta: { className: "text-right tabular-nums" },
      cell: ({ row: { original } }) => count(original, original.open, "pending"),
    },
    {
      header: "Failed",
      meta: { className: "text-right tabular-nums" },
      cell: ({ row: { original } }) => count(original, original.failed, "failed"),
    },
    ...(onResume
      ? [
          {
            id: "acts",
            header: () => <span className="sr-only">Acts</span>,
            meta: { className: "text-right" },
            cell: ({ row: { original } }) =>
              original.paused_date && (
                <Button size="small" aria-label={`Resume ${original.client_name}`} onClick={() => onResume(original)}>
                  Resume
                </Button>
              ),
          } satisfies ColumnDef<Subscription>,
        ]
      : []),
  ];
}

function Health({ subscription: { paused_date, failing_since } }: { subscription: Subscription }) {
  if (paused_date) {
    return (
      <Status kind="warning">
        <span>
          Paused since <Time value={paused_date} exact />
        </span>
      </Status>
    );
  }
  if (!failing_since) return <Status kind="active">Works</Status>;
  return (
    <Status kind="failed">
      <span>
        Failing since <Time value={failing_since} exact />
      </span>
    </Status>
  );
}

function ResumeDialog(props: { path: string; subscription: Subscription; onClose: () => void; onDone: () => void }) {
  const { path, subscription, onClose, onDone } = props;
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<CallError | null>(null);
  const resume = async () => {
    setBusy(true);
    try {
      await staffCall(path, { method: "POST", reason: reason.trim() });
      onDone();
    } catch (error) {
      setProblem(error instanceof CallError ? error : new CallError(500, "error", "The page failed."));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Resume the subscription of ${subscription.client_name}`}
      description={
        <span className="break-words">
          {countOf(subscription.open, "event")} of this practice that waited are sent to {subscription.target} now, and
          tried for another 72 hours; so are those of the client's other practices.
        </span>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={busy} disabled={reason.trim() === ""} onClick={() => void resume()}>
            Resume subscription
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {problem && (
          <Notice tone="bad" live title="The subscription was not resumed">
            {problem.message}
          </Notice>
        )}
        <TextAreaField
          label="Reason"
          required
          maxLength={500}
          help="Such as: their server is back. Kept in the history."
          value={reason}
          error={problem?.fields.reason?.[0]}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
    </Dialog>
  );
}
