import { Copyable } from "@/components/ui/copyable";
import { Detail, DetailGrid } from "@/components/ui/details";
import { Time } from "@/components/ui/time";
import type { EventDetail } from "@/lib/events/published/staff-queries";
import { NextAttempt, RecordLink } from "./event-columns";
import { EventStatus } from "./event-status";

/** Shows the status, record and endpoint of an event. */
export function EventFacts({ event, practice }: { event: EventDetail; practice: number }) {
  return (
    <DetailGrid>
      <Detail label="Status">
        <EventStatus event={event} />
      </Detail>
      <Detail label="Record">
        <RecordLink event={event} practice={practice} />
      </Detail>
      <Detail label="Client">{event.client_name}</Detail>
      <Detail label="Endpoint">
        <span className="wrap-anywhere">{event.target}</span>
      </Detail>
      <Detail label={event.reported ? "Processed (reported)" : "Processed"}>
        {event.processed_date ? <Time value={event.processed_date} /> : <span className="text-soft">Not yet</span>}
      </Detail>
      <Detail label="Status code">
        {event.status_code === null ? (
          <span className="text-soft">None</span>
        ) : (
          <span className="font-mono">{event.status_code}</span>
        )}
      </Detail>
      <Detail label="Next attempt">
        <NextAttempt event={event} />
      </Detail>
      <Detail label="Retries end">
        <Time value={event.give_up_date} exact />
      </Detail>
      <Detail label="webhook-id (the same on every attempt)" wide>
        <Copyable value={event.event_uuid} label="webhook-id" />
      </Detail>
    </DetailGrid>
  );
}
