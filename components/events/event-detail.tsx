"use client";

import { useQuery } from "@tanstack/react-query";
import { Check, Eye, RotateCw } from "lucide-react";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Copyable } from "@/components/ui/copyable";
import { Fact, FactGrid } from "@/components/ui/facts";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { Section } from "@/components/ui/section";
import { Time } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import type { EventDetail } from "@/lib/events/staff-queries";
import { AttemptTable } from "./attempt-table";
import { NextAttempt, RecordLink } from "./event-columns";
import { EventStatus } from "./event-status";
import { recordName } from "./event-words";

const reportDialog = lazyImport(async () => (await import("./report-dialog")).ReportDialog);
const retryDialog = lazyImport(async () => (await import("./retry-dialog")).RetryDialog);

/** One published event: how it stands, what was tried, what would be sent now, and what can be done. */
export function EventPage(props: { practice: number; canAct: boolean; initial: EventDetail }) {
  const { practice, canAct, initial } = props;
  const path = `practices/${practice}/events/${initial.event_id}`;
  const {
    data: event,
    refetch,
    error,
  } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => staffCall<EventDetail>(path, { signal, background: true }),
    initialData: initial,
    refetchInterval: 5_000,
    retry: false,
  });
  const [dialog, setDialog] = useState<"retry" | "report" | null>(null);
  const [ReportDialog, RetryDialog] = [useLazyImport(reportDialog), useLazyImport(retryDialog)];
  const toast = useToasts();
  return (
    <>
      <PageHeader
        trail={[{ label: "Events", href: `/practices/${practice}/events` }]}
        title={`Event ${event.event_id}`}
        meta={
          <>
            {recordName(event)} {event.event_type}, <Time value={event.created_date} />
          </>
        }
        actions={
          canAct && (
            <>
              <Button onClick={() => setDialog("report")}>
                <Check aria-hidden className="size-4" /> Mark as processed
              </Button>
              {event.retriable && (
                <Button kind="primary" onClick={() => setDialog("retry")}>
                  <RotateCw aria-hidden className="size-4" /> Retry
                </Button>
              )}
            </>
          )
        }
      />
      <div className="flex flex-col gap-4">
        {error && (
          <Notice tone="warning" live title="Not up to date">
            {error.message}
          </Notice>
        )}
        {event.paused && (
          <Notice tone="warning" title="Its subscription is paused">
            Nothing is sent until an admin resumes it, under Subscriptions.
          </Notice>
        )}
        <Facts event={event} practice={practice} />
        {event.error_content && (
          <Section className="" title={event.reported ? "Error the client reported" : "Error of the last attempt"}>
            <p className="border-line bg-raised overflow-x-auto rounded-md border px-3 py-2 break-words whitespace-pre-wrap">
              {event.error_content}
            </p>
          </Section>
        )}
        <Section className="" title="Attempts">
          <AttemptTable attempts={event.tries} />
        </Section>
        <Section className="" title="Payload">
          <Payload path={path} />
        </Section>
      </div>
      {dialog === "retry" && RetryDialog && (
        <RetryDialog
          practice={practice}
          target={{ ids: [event.event_id] }}
          onClose={() => setDialog(null)}
          onEnd={() => void refetch()}
        />
      )}
      {dialog === "report" && ReportDialog && (
        <ReportDialog
          practice={practice}
          event={event}
          onClose={() => setDialog(null)}
          onDone={() => {
            setDialog(null);
            void refetch();
            toast.success(`Event ${event.event_id} is marked as processed.`);
          }}
        />
      )}
    </>
  );
}

function Facts({ event, practice }: { event: EventDetail; practice: number }) {
  return (
    <FactGrid>
      <Fact label="Status">
        <EventStatus event={event} />
      </Fact>
      <Fact label="Record">
        <RecordLink event={event} practice={practice} />
      </Fact>
      <Fact label="Client">{event.client_name}</Fact>
      <Fact label="Target">
        <span className="wrap-anywhere">{event.target}</span>
      </Fact>
      <Fact label={event.reported ? "Processed (reported)" : "Processed"}>
        {event.processed_date ? <Time value={event.processed_date} /> : <span className="text-soft">Not yet</span>}
      </Fact>
      <Fact label="Status code">
        {event.status_code === null ? (
          <span className="text-soft">None</span>
        ) : (
          <span className="font-mono">{event.status_code}</span>
        )}
      </Fact>
      <Fact label="Next attempt">
        <NextAttempt event={event} />
      </Fact>
      <Fact label="Given up after">
        <Time value={event.give_up_date} exact />
      </Fact>
      <Fact label="webhook-id, the same on every attempt" wide>
        <Copyable value={event.event_uuid} label="webhook-id" />
      </Fact>
    </FactGrid>
  );
}

/** What would be sent now. It may hold patient data: it is asked for, and the asking is audited. */
function Payload({ path }: { path: string }) {
  const [shown, setShown] = useState(false);
  const { data, error, isFetching } = useQuery({
    queryKey: [path, "payload"],
    queryFn: ({ signal }) => staffCall<{ payload: object | null }>(`${path}/payload`, { signal }),
    enabled: shown,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  if (!shown) {
    return (
      <div className="border-line bg-raised flex flex-wrap items-center justify-between gap-3 rounded-md border px-3 py-2">
        <p className="text-soft">
          What the client would be sent now. It can hold patient data; that you saw it is audited.
        </p>
        <Button onClick={() => setShown(true)}>
          <Eye aria-hidden className="size-4" /> Show payload
        </Button>
      </div>
    );
  }
  if (error) {
    return (
      <Notice tone="bad" live title="The payload could not be read">
        {error.message}
      </Notice>
    );
  }
  if (!data || isFetching) return <div className="bg-sunken h-40 animate-pulse rounded-md" />;
  if (!data.payload) {
    return (
      <Notice tone="warning" live title="Nothing would be sent">
        The client has no right to this practice any more. A retry would end as canceled.
      </Notice>
    );
  }
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      aria-label="Payload as JSON"
      className="border-line bg-raised max-h-[70vh] overflow-auto rounded-md border px-3 py-2"
    >
      <pre className="font-mono text-sm">{JSON.stringify(data.payload, null, 2)}</pre>
    </section>
  );
}
