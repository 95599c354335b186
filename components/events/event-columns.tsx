import type { Column } from "@/components/ui/data-table";
import { TextLink } from "@/components/ui/text-link";
import { Time } from "@/components/ui/time";
import type { EventListRow } from "@/lib/events/published/staff-queries";
import { EventStatus } from "./event-status";
import { endpointOf, eventChange, nextAttempt, recordName, eventColumn as text } from "./messages/events";

/** Returns the columns of the event list. */
export function eventColumns(path: string, practice: number): Column<EventListRow>[] {
  return [
    {
      id: "event",
      header: text.event,
      sortBy: "id",
      cell: (row) => (
        <>
          <TextLink href={`${path}/${row.event_id}`} className="font-mono">
            {row.event_id}
          </TextLink>
          <PhoneDetails event={row} practice={practice} />
        </>
      ),
    },
    {
      id: "change",
      header: text.change,
      className: "max-sm:hidden whitespace-nowrap",
      cell: (row) => eventChange(<RecordLink event={row} practice={practice} />, row.event_type),
    },
    { id: "status", header: text.status, cell: (row) => <EventStatus event={row} /> },
    {
      id: "response",
      header: text.response,
      className: "max-xl:hidden",
      cell: (row) => <Response event={row} />,
    },
    {
      id: "endpoint",
      header: text.endpoint,
      className: "max-md:hidden",
      cell: (row) => (
        <span className="block max-w-32 truncate min-[1440px]:max-w-72" title={endpointOf(row.client_name, row.target)}>
          {row.target.replace(/^https?:\/\//, "")}
        </span>
      ),
    },
    {
      id: "attempts",
      header: text.attempts,
      className: "max-lg:hidden text-right tabular-nums",
      cell: (row) => row.attempts,
    },
    {
      id: "next_attempt",
      header: text.nextAttempt,
      className: "max-[1440px]:hidden",
      cell: (row) => <NextAttempt event={row} />,
    },
    {
      id: "time",
      header: text.time,
      className: "max-sm:hidden",
      cell: (row) => <Time value={row.created_date} />,
    },
  ];
}

/** Shows on a phone what other columns show on wider screens. */
function PhoneDetails({ event, practice }: { event: EventListRow; practice: number }) {
  return (
    <div className="pb-1 sm:hidden">
      <p>{eventChange(<RecordLink event={event} practice={practice} />, event.event_type)}</p>
      <p className="text-soft text-sm">
        <Time value={event.created_date} />
      </p>
    </div>
  );
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
  if (event.paused) return <span className="text-soft whitespace-nowrap">{nextAttempt.onResume}</span>;
  if (event.sending) return <span className="text-soft whitespace-nowrap">{nextAttempt.sending}</span>;
  if (event.due) return <span className="whitespace-nowrap">{nextAttempt.due}</span>;
  return event.next_attempt_date ? (
    <Time value={event.next_attempt_date} />
  ) : (
    <span className="text-soft">{nextAttempt.none}</span>
  );
}
