import { Status } from "@/components/ui/status";
import type { EventListRow } from "@/lib/events/published/staff-queries";
import { eventStatus as text } from "./messages/events";

/** Shows the status of a published event, for staff. */
export function EventStatus({ event }: { event: EventListRow }) {
  const { status, sending, paused, attempts, reported } = event;
  if (status === "failed") {
    return (
      <Status kind="failed">
        <span className="max-sm:whitespace-normal">{reported ? text.rejected : text.undelivered}</span>
      </Status>
    );
  }
  if (status === "processed") return <Status kind="good">{reported ? text.processed : text.delivered}</Status>;
  if (status === "canceled") return <Status kind="archived">{text.canceled}</Status>;
  if (sending) return <Status kind="pending">{text.sending}</Status>;
  if (paused) return <Status kind="warning">{text.paused}</Status>;
  return <Status kind="pending">{attempts > 0 ? text.retrying : text.waiting}</Status>;
}
