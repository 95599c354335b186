"use client";

import type { RowSelectionState } from "@tanstack/react-table";
import { RotateCw, X } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useMemo, useState } from "react";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import type { EventListRow } from "@/lib/events/staff-queries";
import { eventColumns } from "./event-columns";
import { EventFilters, useEventFilter } from "./event-filters";
import { countOf } from "./event-words";
import { EventsNav } from "./events-nav";
import { ListState } from "./list-state";
import { RetryDialog, type RetryTarget } from "./retry-dialog";
import { useSteadyList } from "./use-steady-list";

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

/** The practice's published events: what is looked for is in the URL, and the rows stay where they are. */
export function EventList({ practice, canAct, initial }: { practice: number; canAct: boolean; initial: EventPage }) {
  const router = useRouter();
  const { state, setState, filter, order, offset } = useEventFilter();
  const paging = { order, offset: String(offset), limit: String(LIMIT) };
  const list = useSteadyList<EventListRow, EventPage, Refreshed>({ practice, path: "events", filter, paging, initial });
  const { selection, setSelection, chosen } = useSelection(JSON.stringify(filter), list.rows);
  const [retry, setRetry] = useState<RetryTarget | null>(null);
  const pathOf = (event: EventListRow) => `/practices/${practice}/events/${event.event_id}`;
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
      <EventFilters state={state} setState={setState} filter={filter} />
      <ListState
        newer={list.newer}
        nouns={["new event", "new events"]}
        onShow={showNew}
        error={list.error}
        outdated={list.outdated}
      />
      <DataTable
        label="Published events"
        columns={eventColumns({ pathOf, practice, selectable: canAct })}
        rows={list.rows}
        stale={list.stale}
        order={order}
        onOrder={(next) => void setState({ order: next === "id" ? "id" : "-id", offset: null })}
        onOpen={(event) => router.push(pathOf(event))}
        {...(canAct ? { selection, onSelection: setSelection } : {})}
        empty={
          filtered ? (
            <EmptyState title="No event fits these filters">Lift a filter, or choose a longer time.</EmptyState>
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
      {chosen.length > 0 && (
        <section
          aria-label="Selected events"
          className="border-line bg-raised screen-only sticky bottom-16 z-20 mt-3 flex flex-wrap items-center gap-2 rounded-md border px-3 py-2 shadow-lg min-[900px]:bottom-3"
        >
          <p role="status" className="mr-auto">
            {countOf(chosen.length, "event")} selected
          </p>
          <Button kind="primary" onClick={() => setRetry({ eventIds: chosen })}>
            <RotateCw aria-hidden className="size-4" /> Retry selected
          </Button>
          <Button onClick={() => setSelection({})}>
            <X aria-hidden className="size-4" /> Clear selection
          </Button>
        </section>
      )}
      {retry && (
        <RetryDialog practice={practice} target={retry} onClose={() => setRetry(null)} onProgress={list.look} />
      )}
    </>
  );
}

/** What is selected stays so while pages turn and rows change; another filter begins anew. */
function useSelection(filter: string, rows: readonly EventListRow[] | undefined) {
  const [selection, setSelection] = useState<RowSelectionState>({});
  const [seen, setSeen] = useState<ReadonlyMap<number, number>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter is what it is about.
  useEffect(() => setSelection({}), [filter]);
  const known = rows?.map(({ id }) => id).join(",");
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are new objects on every look, their ids are not.
  useEffect(() => {
    setSeen((before) => new Map([...before, ...(rows ?? []).map(({ id, event_id }) => [id, event_id] as const)]));
  }, [known]);
  const chosen = useMemo(
    () =>
      Object.entries(selection).flatMap(([id, is]) => {
        const event = is ? seen.get(Number(id)) : undefined;
        return event === undefined ? [] : [event];
      }),
    [selection, seen],
  );
  return { selection, setSelection, chosen };
}
