"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import { EmptyState } from "@/components/ui/empty-state";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";
import { PAGE_SIZE, RetryableList } from "@/components/ui/retryable-list";
import { useLiveList } from "@/components/ui/use-live-list";
import type { EventListRow } from "@/lib/events/published/staff-queries";
import { eventColumns } from "./event-columns";
import { EventFilters, useEventFilter } from "./event-filters";
import { EventsNav } from "./events-nav";
import { eventsPage as text } from "./messages/events";

const ORDER = parseAsStringLiteral(["-id", "id"] as const).withDefault("-id");
const retryDialog = lazyImport(async () => (await import("./retry-dialog")).RetryDialog);

interface EventPage {
  count: number;
  has_more: boolean;
  newest: number;
  results: EventListRow[];
}

interface EventListProps {
  practice: number;
  /** The page the server rendered, and its query. */
  initial: { query: Record<string, string | number | undefined>; page: EventPage };
}

/** Shows the practice's published events. */
export function EventList({ practice, initial }: EventListProps) {
  const filter = useEventFilter();
  const [order, setOrder] = useQueryState("order", ORDER);
  const list = useLiveList<EventListRow, EventPage, { newer: number; results: EventListRow[] }>({
    practice,
    path: "events",
    filter: filter.filter,
    paging: { order, offset: String(filter.offset), limit: String(PAGE_SIZE) },
    initial,
  });
  const path = `/practices/${practice}/events`;
  return (
    <RetryableList
      title={text.title}
      retryText={text}
      practice={practice}
      list={list}
      filter={filter}
      table={{
        label: text.table,
        columns: eventColumns(path, practice),
        order,
        onOrder: (next) => {
          void setOrder(next === "id" ? "id" : "-id");
          void filter.goToFirst();
        },
      }}
      eventId={eventId}
      path={path}
      empty={<EmptyState title={text.empty}>{text.emptyHelp}</EmptyState>}
      RetryDialog={useLazyImport(retryDialog)}
    >
      <EventsNav practice={practice} current="events" />
      <EventFilters value={filter} />
    </RetryableList>
  );
}

const eventId = ({ event_id }: EventListRow) => event_id;
