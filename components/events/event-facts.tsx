import { Copyable } from "@/components/ui/copyable";
import { Fact, FactGrid } from "@/components/ui/facts";
import { Time } from "@/components/ui/time";
import type { EventDetail } from "@/lib/events/published/staff-queries";
import { NextAttempt, RecordLink } from "./event-columns";
import { EventStatus } from "./event-status";

/** The status, record and endpoint of an event. */
export function EventFacts({ event, practice }: { event: EventDetail; practice: number }) {
  return (
    <FactGrid>
      <Fact label="Status">
        <EventStatus event={event} />
      </Fact>
      <Fact label="Record">
        <RecordLink event={event} practice={practice} />
      </Fact>
      <Fact label="Client">{event.client_name}</Fact>
      <Fact label="Endpoint">
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
      <Fact label="Retries end">
        <Time value={event.give_up_date} exact />
      </Fact>
      <Fact label="webhook-id (the same on every attempt)" wide>
        <Copyable value={event.event_uuid} label="webhook-id" />
      </Fact>
    </FactGrid>
  );
}
