"use client";

import type { ColumnDef } from "@tanstack/react-table";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { Choice } from "@/components/events/event-filters";
import { ActiveFilters, ListState } from "@/components/events/list-state";
import { TimeFilter } from "@/components/events/time-filter";
import { useSteadyList } from "@/components/events/use-steady-list";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { Time } from "@/components/ui/time";
import type { PracticeStream, StreamListRow } from "@/lib/sync/staff-queries";
import { RetryButton } from "./retry-button";
import { StreamHealthBar } from "./stream-health";
import { StreamStatusOf } from "./stream-status";
import { DIRECTIONS } from "./stream-words";

interface StreamPage {
  count: number;
  newest: number;
  health: PracticeStream;
  results: StreamListRow[];
}
interface Refreshed {
  newer: number;
  health: PracticeStream;
  results: StreamListRow[];
}

const LIMIT = 50;
const STATUSES = ["open", "pending", "failed", "acknowledged", "discarded"] as const;
const WAYS = ["policies_to_patients", "patients_to_policies"] as const;
const STATUS_WORDS = { open: "pending or failed", acknowledged: "applied" };
const WAY_WORDS = {
  policies_to_patients: DIRECTIONS.policies_to_patients.short,
  patients_to_policies: DIRECTIONS.patients_to_policies.short,
};
const STATE = {
  status: parseAsStringLiteral(STATUSES),
  direction: parseAsStringLiteral(WAYS),
  patient: parseAsInteger,
  from: parseAsString,
  to: parseAsString,
  offset: parseAsInteger.withDefault(0),
};
const CHIPS = { status: "Status", direction: "Direction", patient: "Patient", from: "From", to: "Before" };
const NO_FILTER = { status: null, direction: null, patient: null, from: null, to: null, offset: null };

/** How the stream between policies and legacy insurances stands, and its events; filters are in the URL. */
export function StreamList({ practice, canAct, initial }: { practice: number; canAct: boolean; initial: StreamPage }) {
  const router = useRouter();
  const [state, setState] = useQueryStates(STATE);
  const { offset, ...fields } = state;
  const set = Object.entries(fields).filter(([, value]) => value !== null);
  const filter = Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
  const paging = { offset: String(offset), limit: String(LIMIT) };
  const list = useSteadyList<StreamListRow, StreamPage, Refreshed>({
    practice,
    path: "stream",
    filter,
    paging,
    initial,
  });
  const pathOf = (event: StreamListRow) => `/practices/${practice}/stream/${event.id}`;
  const change = (next: object) => void setState({ ...next, offset: null });
  const showNew = () => void (offset > 0 ? setState({ offset: null }).then(() => list.show()) : list.show());
  const health = list.latest?.health ?? list.page?.health;
  return (
    <>
      <PageHeader
        title="Stream"
        meta="What is written on policies or on legacy insurances reaches the other side here."
      />
      {health && <StreamHealthBar practice={practice} health={health} />}
      <search aria-label="Filter the stream" className="screen-only mb-2 block">
        <div className="flex flex-wrap items-center gap-2">
          <Choice
            label="Status"
            value={state.status}
            options={STATUSES}
            words={STATUS_WORDS}
            onChange={(status) => change({ status })}
          />
          <Choice
            label="Direction"
            value={state.direction}
            options={WAYS}
            words={WAY_WORDS}
            onChange={(direction) => change({ direction })}
          />
          <TimeFilter from={state.from} to={state.to} onChange={change} />
        </div>
        <ActiveFilters
          filters={set.map(([name, value]) => ({
            name,
            label: <ChipText name={name as keyof typeof CHIPS} value={String(value)} />,
          }))}
          onRemove={(name) => change({ [name]: null })}
          onClear={() => void setState(NO_FILTER)}
        />
      </search>
      <ListState
        newer={list.newer}
        nouns={["new event", "new events"]}
        onShow={showNew}
        error={list.error}
        outdated={list.outdated}
      />
      <DataTable
        label="Events of the stream"
        columns={columnsFor({ practice, pathOf, onRetried: canAct ? list.look : null })}
        rows={list.rows}
        stale={list.stale}
        onOpen={(event) => router.push(pathOf(event))}
        empty={
          set.length > 0 ? (
            <EmptyState title="No event fits these filters">Lift a filter, or choose a longer time.</EmptyState>
          ) : (
            <EmptyState title="Nothing has gone through the stream">
              Each change of an insurance makes one event. They are kept for 30 days.
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
    </>
  );
}

function ChipText({ name, value }: { name: keyof typeof CHIPS; value: string }) {
  const words: Record<string, string> = { ...STATUS_WORDS, ...WAY_WORDS };
  const isTime = (name === "from" || name === "to") && !Number.isNaN(Date.parse(value));
  return (
    <>
      <span className="text-soft">{CHIPS[name]}</span> {isTime ? <Time value={value} exact /> : (words[value] ?? value)}
    </>
  );
}

function columnsFor(options: {
  practice: number;
  pathOf: (event: StreamListRow) => string;
  onRetried: (() => void) | null;
}): ColumnDef<StreamListRow>[] {
  const { practice, pathOf, onRetried } = options;
  return [
    {
      header: "Event",
      cell: ({ row: { original } }) => (
        <Link
          href={pathOf(original)}
          prefetch={false}
          className="inline-flex min-h-6 min-w-6 items-center font-mono hover:underline"
        >
          {original.id}
        </Link>
      ),
    },
    {
      header: "Patient",
      cell: ({ row: { original } }) => (
        <Link
          href={`/practices/${practice}/patients/${original.patient_id}`}
          prefetch={false}
          className="inline-flex min-h-6 min-w-6 items-center whitespace-nowrap hover:underline"
        >
          Patient {original.patient_id}
        </Link>
      ),
    },
    {
      header: "Direction",
      meta: { className: "max-md:hidden" },
      cell: ({ row: { original } }) => (
        <span className="whitespace-nowrap">
          {DIRECTIONS[original.direction].short}, {original.kind}
        </span>
      ),
    },
    { header: "Status", cell: ({ row: { original } }) => <StreamStatusOf event={original} /> },
    {
      header: "Reason",
      meta: { className: "max-sm:hidden" },
      cell: ({ row: { original } }) => (
        <span className="text-soft block max-w-72 truncate" title={original.last_error ?? undefined}>
          {original.last_error}
        </span>
      ),
    },
    { header: "By", meta: { className: "max-xl:hidden" }, accessorKey: "actor" },
    {
      header: "Attempts",
      meta: { className: "max-lg:hidden tabular-nums" },
      cell: ({ row: { original } }) => original.attempts,
    },
    {
      header: "Written",
      meta: { className: "max-lg:hidden" },
      cell: ({ row: { original } }) => <Time value={original.created_date} />,
    },
    ...(onRetried
      ? [
          {
            id: "acts",
            header: () => <span className="sr-only">Acts</span>,
            meta: { className: "text-right" },
            cell: ({ row: { original } }) => (
              <RetryButton practice={practice} event={original} size="small" onDone={onRetried} />
            ),
          } satisfies ColumnDef<StreamListRow>,
        ]
      : []),
  ];
}
