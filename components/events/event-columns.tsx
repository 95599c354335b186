import type { ColumnDef } from "@tanstack/react-table";
import { selectionColumn } from "@/components/ui/selection-column";
import { TextLink } from "@/components/ui/text-link";
import { Time } from "@/components/ui/time";
import type { EventListRow } from "@/lib/events/published/staff-queries";
import { recordName } from "./event-messages";
import { EventStatus } from "./event-status";

/** Returns the columns of the event list. Users who can retry events get a selection column. */
export function eventColumns(options: {
  path: string;
  practice: number;
  selectable: boolean;
}): ColumnDef<EventListRow>[] {
  const { path, practice, selectable } = options;
  return [
    ...(selectable ? [selectionColumn<EventListRow>(({ event_id }) => `event ${event_id}`)] : []),
    {
      header: "Event",
      meta: { sortBy: "id" },
      cell: ({ row: { original } }) => (
        <TextLink href={`${path}/${original.event_id}`} className="font-mono">
          {original.event_id}
        </TextLink>
      ),
    },
    {
      header: "Change",
      cell: ({ row: { original } }) => (
        <span className="sm:whitespace-nowrap">
          <RecordLink event={original} practice={practice} /> {original.event_type}
        </span>
      ),
    },
    { header: "Status", cell: ({ row: { original } }) => <EventStatus event={original} /> },
    {
      header: "Response",
      meta: { className: "max-xl:hidden" },
      cell: ({ row: { original } }) => <Response event={original} />,
    },
    {
      header: "Endpoint",
      meta: { className: "max-md:hidden" },
      cell: ({ row: { original } }) => (
        <span
          className="block max-w-40 truncate min-[1440px]:max-w-72"
          title={`${original.client_name}: ${original.target}`}
        >
          {original.target.replace(/^https?:\/\//, "")}
        </span>
      ),
    },
    {
      header: "Attempts",
      meta: { className: "max-lg:hidden text-right tabular-nums" },
      cell: ({ row: { original } }) => original.attempts,
    },
    {
      header: "Next attempt",
      meta: { className: "max-[1440px]:hidden" },
      cell: ({ row: { original } }) => <NextAttempt event={original} />,
    },
    {
      header: "Time",
      meta: { className: "max-sm:hidden" },
      cell: ({ row: { original } }) => <Time value={original.created_date} />,
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
