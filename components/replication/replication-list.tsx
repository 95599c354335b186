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
import type { PracticeStream, StreamListRow } from "@/lib/sync/staff-queries";
import { replicationColumns } from "./replication-columns";
import { ReplicationFilters, useReplicationFilter } from "./replication-filters";
import { ReplicationHealth } from "./replication-health";
import type { RetryTarget } from "./retry-dialog";

interface ReplicationPage {
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
const retryDialog = lazyImport(async () => (await import("./retry-dialog")).RetryDialog);

interface ReplicationListProps {
  practice: number;
  canAct: boolean;
  /** The page the server rendered, and the query it answered. */
  initial: { query: Record<string, string | number | undefined>; page: ReplicationPage };
}

/** How the stream between policies and legacy insurances stands, and its events; filters are in the URL. */
export function ReplicationList({ practice, canAct, initial }: ReplicationListProps) {
  const router = useRouter();
  const RetryDialog = useLazyImport(retryDialog);
  const { state, setState, clear, filter, offset } = useReplicationFilter();
  const paging = { offset: String(offset), limit: String(LIMIT) };
  const list = useSteadyList<StreamListRow, ReplicationPage, Refreshed>({
    practice,
    path: "stream",
    filter,
    paging,
    initial,
  });
  const { selection, setSelection, chosen } = useSelection(JSON.stringify(filter), list.rows);
  const [retry, setRetry] = useState<RetryTarget | null>(null);
  useAskedFor("retry", () => canAct && setRetry({ filter }));
  const pathOf = (event: StreamListRow) => `/practices/${practice}/stream/${event.id}`;
  const first = () => void setState({ offset: null });
  const showNew = () => void (offset > 0 ? setState({ offset: null }).then(() => list.show()) : list.show());
  const health = list.latest?.health ?? list.page?.health;
  const filtered = Object.keys(filter).length > 0;
  return (
    <>
      <PageHeader
        title="Stream"
        meta="What is written on policies or on legacy insurances reaches the other side here."
        actions={
          canAct && (
            <Button onClick={() => setRetry({ filter })}>
              <RotateCw aria-hidden className="size-4" /> {filtered ? "Retry all that match" : "Retry all"}
            </Button>
          )
        }
      />
      {health && <ReplicationHealth practice={practice} health={health} />}
      <ReplicationFilters state={state} setState={setState} clear={clear} filter={filter} />
      <ListState newer={list.newer} nouns={["new event", "new events"]} onShow={showNew} outdated={list.outdated} />
      <StaleNotice error={list.error} isShown={list.page !== undefined} />
      <DataTable
        label="Events of the stream"
        columns={replicationColumns({ practice, pathOf, onRetried: canAct ? list.look : null })}
        rows={list.rows}
        stale={list.stale}
        onOpen={(event) => router.push(pathOf(event))}
        {...(canAct ? { selection, onSelection: setSelection } : {})}
        failure={list.error && <UnreadList error={list.error} onRetry={() => void list.show()} onReset={clear} />}
        empty={
          list.page && list.page.count > 0 ? (
            <BehindEnd count={list.page.count} of="events" onFirst={first} />
          ) : filtered ? (
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
