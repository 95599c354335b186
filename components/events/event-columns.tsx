import type { Column } from "@/components/ui/data-table";
import { TextLink } from "@/components/ui/text-link";
import { Time } from "@/components/ui/time";
import type { EventListRow } from "@/lib/events/published/staff-queries";
import { recordName } from "./event-messages";
import { EventStatus } from "./event-status";

/** Returns the columns of the event list. */
export function eventColumns(path: string, practice: number): Column<EventListRow>[] {
  return [
    {
      id: "event",
      header: "Event",
      sortBy: "id",
      cell: (row) => (
        <TextLink href={`${path}/${row.event_id}`} className="font-mono">
          {row.event_id}
        </TextLink>
      ),
    },
    {
      id: "change",
      header: "Change",
      cell: (row) => (
        <span className="sm:whitespace-nowrap">
          <RecordLink event={row} practice={practice} /> {row.event_type}
        </span>
      ),
    },
    { id: "status", header: "Status", cell: (row) => <EventStatus event={row} /> },
    {
      id: "response",
      header: "Response",
      className: "max-xl:hidden",
      cell: (row) => <Response event={row} />,
    },
    {
      id: "endpoint",
      header: "Endpoint",
      className: "max-md:hidden",
      cell: (row) => (
        <span className="block max-w-40 truncate min-[1440px]:max-w-72" title={`${row.client_name}: ${row.target}`}>
          {row.target.replace(/^https?:\/\//, "")}
        </span>
      ),
    },
    {
      id: "attempts",
      header: "Attempts",
      className: "max-lg:hidden text-right tabular-nums",
      cell: (row) => row.attempts,
    },
    {
      id: "next_attempt",
      header: "Next attempt",
      className: "max-[1440px]:hidden",
      cell: (row) => <NextAttempt event={row} />,
    },
    {
      id: "time",
      header: "Time",
      className: "max-sm:hidden",
      cell: (row) => <Time value={row.created_date} />,
    },
  ];
}

/** Shows the record that changed. Patients are linked to their page. */
export function RecordLink({ event, practice }: { event: EventListRow; practice: number }) {
  if (event.resource !== "patients" || event.event_type === "deleted") return <span>{recordName(event)}</span>;
  return <TextLink href={`/practices/${practice}/patients/${event.resource_id}`}>{recordName(event)}</TextLink>;
}

function Response({ event: { status_code, error_content } }: { event: EventListRow }) {
  return (
    <span className="block max-w-32 truncate min-[1440px]:max-w-64" title={error_content ?? undefined}>
      {status_code !== null && <span className="font-mono">{status_code} </span>}
      <span className="text-soft">{error_content}</span>
    </span>
  );
}

/** Shows the time of the next attempt, or why none is scheduled. */
export function NextAttempt({ event }: { event: EventListRow }) {
  if (event.paused) return <span className="text-soft whitespace-nowrap">On resume</span>;
  if (event.sending) return <span className="text-soft whitespace-nowrap">In progress</span>;
  if (event.due) return <span className="whitespace-nowrap">Due now</span>;
  return event.next_attempt_date ? <Time value={event.next_attempt_date} /> : <span className="text-soft">None</span>;
}
