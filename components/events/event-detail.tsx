"use client";

import { useQuery } from "@tanstack/react-query";
import { Check, RotateCw } from "lucide-react";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { Section } from "@/components/ui/section";
import { Time } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import type { EventDetail } from "@/lib/events/published/staff-queries";
import { AttemptTable } from "./attempt-table";
import { EventFacts } from "./event-facts";
import { EventPayload } from "./event-payload";
import { eventChange, eventsPage, recordName, eventPage as text } from "./messages/events";

const reportDialog = lazyImport(async () => (await import("./report-dialog")).ReportDialog);
const retryDialog = lazyImport(async () => (await import("./retry-dialog")).RetryDialog);

/** Shows a published event: its status, attempts and payload. */
export function EventPage({ practice, initial }: { practice: number; initial: EventDetail }) {
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
        trail={[{ label: eventsPage.title, href: `/practices/${practice}/events` }]}
        title={text.title(event.event_id)}
        meta={text.subtitle(eventChange(recordName(event), event.event_type), <Time value={event.created_date} />)}
        actions={
          <>
            <Button onClick={() => setDialog("report")}>
              <Check aria-hidden className="size-4" /> {text.report}
            </Button>
            {event.retriable && (
              <Button kind="primary" onClick={() => setDialog("retry")}>
                <RotateCw aria-hidden className="size-4" /> {text.sendAgain}
              </Button>
            )}
          </>
        }
      />
      <div className="flex flex-col gap-4">
        {error && (
          <Notice tone="warning" live title={text.outOfDate}>
            {error.message}
          </Notice>
        )}
        {event.paused && (
          <Notice tone="warning" title={text.paused}>
            {text.pausedHelp}
          </Notice>
        )}
        <EventFacts event={event} practice={practice} />
        {event.error_content && (
          <Section className="" title={event.reported ? text.clientError : text.attemptError}>
            <p className="border-line bg-raised overflow-x-auto rounded-md border px-3 py-2 break-words whitespace-pre-wrap">
              {event.error_content}
            </p>
          </Section>
        )}
        <Section className="" title={text.attempts}>
          <AttemptTable attempts={event.tries} />
        </Section>
        <Section className="" title={text.payload}>
          <EventPayload path={path} />
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
            toast.success(text.reported(event.event_id));
          }}
        />
      )}
    </>
  );
}
