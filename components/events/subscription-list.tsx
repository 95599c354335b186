"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import type { ColumnDef } from "@tanstack/react-table";
import Link from "next/link";
import { useState } from "react";
import { failureOf, fieldsOf, staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { formatNumber, pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import type { StaffSubscription } from "@/lib/events/staff-queries";
import { EventsNav } from "./events-nav";

interface Found {
  results: StaffSubscription[];
}

/** Where the practice's events go, and how their delivery stands; admins resume what was paused. */
export function SubscriptionList(props: { practice: number; canResume: boolean; initial: Found }) {
  const { practice, canResume, initial } = props;
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
            toast.success(`Events are sent to ${resuming.client_name} again.`);
          }}
        />
      )}
    </>
  );
}

function columnsFor(
  practice: number,
  onResume: ((subscription: StaffSubscription) => void) | null,
): ColumnDef<StaffSubscription>[] {
  const eventsOf = ({ id }: StaffSubscription, status: string) =>
    `/practices/${practice}/events?${new URLSearchParams({ subscription: String(id), status })}`;
  const count = (subscription: StaffSubscription, value: number, status: string) =>
    value === 0 ? (
      <span className="text-soft">0</span>
    ) : (
      <Link href={eventsOf(subscription, status)} className="inline-flex min-h-6 min-w-6 items-center hover:underline">
        {formatNumber(value)}
      </Link>
    );
  return [
    {
      header: "Client",
      meta: { className: "min-w-32" },
      cell: ({ row: { original } }) => (
        <>
          <span className="font-medium">{original.client_name}</span>
          <span className="text-soft block text-sm sm:hidden">{recordsOf(original)}</span>
        </>
      ),
    },
    {
      header: "Records",
      meta: { className: "max-sm:hidden" },
      cell: ({ row: { original } }) => recordsOf(original),
    },
    {
      header: "Target",
      meta: { className: "max-lg:hidden" },
      cell: ({ row: { original } }) => <span className="wrap-anywhere">{original.target}</span>,
    },
    {
      header: "Delivery",
      cell: ({ row: { original } }) => (
        <>
          <Health subscription={original} />
          <span className="text-soft flex items-center text-sm whitespace-pre sm:hidden">
            {count(original, original.open, "waiting")} waiting, {count(original, original.failed, "undelivered")}{" "}
            undelivered
          </span>
          {onResume && (
            <div className="mt-1 sm:hidden">
              <ResumeAct subscription={original} onResume={onResume} />
            </div>
          )}
        </>
      ),
    },
    {
      header: "Waiting",
      meta: { className: "max-sm:hidden text-right tabular-nums" },
      cell: ({ row: { original } }) => count(original, original.open, "waiting"),
    },
    {
      header: "Undelivered",
      meta: { className: "max-sm:hidden text-right tabular-nums" },
      cell: ({ row: { original } }) => count(original, original.failed, "undelivered"),
    },
    ...(onResume
      ? [
          {
            id: "acts",
            header: () => <span className="sr-only">Acts</span>,
            meta: { className: "max-sm:hidden text-right" },
            cell: ({ row: { original } }) => <ResumeAct subscription={original} onResume={onResume} />,
          } satisfies ColumnDef<StaffSubscription>,
        ]
      : []),
  ];
}

interface ResumeActProps {
  subscription: StaffSubscription;
  onResume: (subscription: StaffSubscription) => void;
}

/** The way on for what was paused, or whose it is. */
function ResumeAct({ subscription, onResume }: ResumeActProps) {
  if (!subscription.paused_date) return null;
  if (subscription.elsewhere) {
    return (
      <span className="text-soft inline-block max-w-44 text-sm">
        Shared with other practices; their admins resume it
      </span>
    );
  }
  return (
    <Button size="small" aria-label={`Resume ${subscription.client_name}`} onClick={() => onResume(subscription)}>
      Resume
    </Button>
  );
}

const recordsOf = ({ resource }: StaffSubscription) => resource.replaceAll("_", " ");

function Health({ subscription: { paused_date, failing_since } }: { subscription: StaffSubscription }) {
  if (paused_date) {
    return (
      <Status kind="warning">
        <span className="whitespace-normal">
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

function ResumeDialog(props: {
  path: string;
  subscription: StaffSubscription;
  onClose: () => void;
  onDone: () => void;
}) {
  const { path, subscription, onClose, onDone } = props;
  const [reason, setReason] = useState("");
  const resume = useMutation({
    mutationFn: () => staffCall(path, { method: "POST", reason: reason.trim() }),
    onSuccess: onDone,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={`Resume the subscription of ${subscription.client_name}`}
      description={
        <span className="break-words">
          {pluralize(subscription.open, "event")} of this practice that waited are sent to {subscription.target} now,
          and tried for another 72 hours; so are those of your other practices that its client receives for.
        </span>
      }
      act="Resume subscription"
      busy={resume.isPending}
      disabled={reason.trim() === ""}
      failure={failureOf(resume.error, "The subscription was not resumed")}
      onSubmit={() => resume.mutate()}
    >
      <ReasonField
        required
        help="Such as: their server is back. Kept in the history."
        value={reason}
        error={fieldsOf(resume.error).reason?.[0]}
        onChange={setReason}
      />
    </FormDialog>
  );
}
