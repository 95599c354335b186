"use client";

import { RotateCw } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";
import { ListState } from "@/components/ui/list-state";
import { BehindEnd, StaleNotice, UnreadList } from "@/components/ui/list-trouble";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { SelectionBar } from "@/components/ui/selection-bar";
import { useAskedFor } from "@/components/ui/use-asked-for";
import { useSelection } from "@/components/ui/use-selection";
import { useSteadyList } from "@/components/ui/use-steady-list";
import type { EventListRow } from "@/lib/events/staff-queries";
import { eventColumns } from "./event-columns";
import { EventFilters, useEventFilter } from "./event-filters";
import { EventsNav } from "./events-nav";
import type { RetryTarget } from "./retry-dialog";

interface EventPage {
  count: number;
  newest: number;
  results: EventListRow[];
}
interface Refreshed {
  newer: number;
  results: EventListRow[];
}

const LIMIT = 50;
const retryDialog = lazyImport(async () => (await import("./retry-dialog")).RetryDialog);

interface EventListProps {
  practice: number;
  canAct: boolean;
  /** The page the server rendered, and the query it answered. */
  initial: { query: Record<string, string | number | undefined>; page: EventPage };
}

/** The practice's published events: what is looked for is in the URL, and the rows stay where they are. */
export function EventList({ practice, canAct, initial }: EventListProps) {
  const router = useRouter();
  const RetryDialog = useLazyImport(retryDialog);
  const { state, setState, clear, filter, order, offset } = useEventFilter();
  const paging = { order, offset: String(offset), limit: String(LIMIT) };
  const list = useSteadyList<EventListRow, EventPage, Refreshed>({ practice, path: "events", filter, paging, initial });
  const { selection, setSelection, chosen } = useSelection(JSON.stringify(filter), list.rows, idOf);
  const [retry, setRetry] = useState<RetryTarget | null>(null);
  useAskedFor("retry", () => canAct && setRetry({ filter }));
  const pathOf = (event: EventListRow) => `/practices/${practice}/events/${event.event_id}`;
  const first = () => void setState({ offset: null });
  const filtered = Object.keys(filter).length > 0;
  const showNew = () => void (offset > 0 ? setState({ offset: null }).then(() => list.show()) : list.show());
  return (
    <>
      <PageHeader
        title="Events"
        actions={
          canAct && (
            <Button onClick={() => setRetry({ filter })}>
              <RotateCw aria-hidden className="size-4" /> {filtered ? "Retry all that match" : "Retry all"}
            </Button>
          )
        }
      />
      <EventsNav practice={practice} current="events" />
      <EventFilters state={state} setState={setState} clear={clear} filter={filter} />
      <ListState newer={list.newer} nouns={["new event", "new events"]} onShow={showNew} outdated={list.outdated} />
      <StaleNotice error={list.error} isShown={list.page !== undefined} />
      <DataTable
        label="Published events"
        columns={eventColumns({ pathOf, practice, selectable: canAct })}
        rows={list.rows}
        stale={list.stale}
        order={order}
        onOrder={(next) => void setState({ order: next === "id" ? "id" : "-id", offset: null })}
        onOpen={(event) => router.push(pathOf(event))}
        {...(canAct ? { selection, onSelection: setSelection } : {})}
        failure={list.error && <UnreadList error={list.error} onRetry={() => void list.show()} onReset={clear} />}
        empty={
          list.page && list.page.count > 0 ? (
            <BehindEnd count={list.page.count} of="events" onFirst={first} />
          ) : filtered ? (
            <EmptyState title="No events match these filters">Clear a filter, or choose a longer time.</EmptyState>
          ) : (
            <EmptyState title="No events yet">
              A change of a record is told to every client that subscribed to it. Without subscriptions there are no
              events.
            </EmptyState>
          )
        }
      />
      <Pager
        of="events"
        offset={offset}
        limit={LIMIT}
        count={list.page?.count}
        onOffset={(next) => void setState({ offset: next || null }, { history: "push" })}
      />
      <SelectionBar count={chosen.length} noun="event" onClear={() => setSelection({})}>
        <Button kind="primary" onClick={() => setRetry({ ids: chosen })}>
          <RotateCw aria-hidden className="size-4" /> Retry selected
        </Button>
      </SelectionBar>
      {retry && RetryDialog && (
        <RetryDialog practice={practice} target={retry} onClose={() => setRetry(null)} onEnd={list.look} />
      )}
    </>
  );
}

const idOf = ({ event_id }: EventListRow) => event_id;
