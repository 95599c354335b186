import { Copyable } from "@/components/ui/copyable";
import { Detail, DetailGrid } from "@/components/ui/details";
import { Time } from "@/components/ui/time";
import type { EventDetail } from "@/lib/events/published/staff-queries";
import { NextAttempt, RecordLink } from "./event-columns";
import { EventStatus } from "./event-status";
import { eventFacts as text } from "./messages/events";

/** Shows the status, record and endpoint of an event. */
export function EventFacts({ event, practice }: { event: EventDetail; practice: number }) {
  return (
    <DetailGrid>
      <Detail label={text.status}>
        <EventStatus event={event} />
      </Detail>
      <Detail label={text.record}>
        <RecordLink event={event} practice={practice} />
      </Detail>
      <Detail label={text.client}>{event.client_name}</Detail>
      <Detail label={text.endpoint}>
        <span className="wrap-anywhere">{event.target}</span>
      </Detail>
      <Detail label={event.reported ? text.processedReported : text.processed}>
        {event.processed_date ? (
          <Time value={event.processed_date} />
        ) : (
          <span className="text-soft">{text.notProcessed}</span>
        )}
      </Detail>
      <Detail label={text.statusCode}>
        {event.status_code === null ? (
          <span className="text-soft">{text.noStatusCode}</span>
        ) : (
          <span className="font-mono">{event.status_code}</span>
        )}
      </Detail>
      <Detail label={text.nextAttempt}>
        <NextAttempt event={event} />
      </Detail>
      <Detail label={Date.parse(event.give_up_date) > Date.now() ? text.retriesEnd : text.retriesEnded}>
        <Time value={event.give_up_date} exact />
      </Detail>
      <Detail label={text.webhookId} wide>
        <Copyable value={event.event_uuid} label={text.copyWebhookId} />
      </Detail>
    </DetailGrid>
  );
}
