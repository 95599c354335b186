import { Status } from "@/components/ui/status";
import type { EventListRow } from "@/lib/events/published/staff-queries";

/** Shows the status of a published event, for staff. */
export function EventStatus({ event }: { event: EventListRow }) {
  const { status, sending, paused, attempts, reported } = event;
  if (status === "failed") {
    return (
      <Status kind="failed">
        <span className="max-sm:whitespace-normal">{reported ? "Rejected by client" : "Undelivered"}</span>
      </Status>
    );
  }
  if (status === "processed") return <Status kind="good">{reported ? "Processed" : "Delivered"}</Status>;
  if (status === "canceled") return <Status kind="archived">Canceled</Status>;
  if (sending) return <Status kind="pending">Sending</Status>;
  if (paused) return <Status kind="warning">Paused</Status>;
  return <Status kind="pending">{attempts > 0 ? "Retrying" : "Waiting"}</Status>;
}
