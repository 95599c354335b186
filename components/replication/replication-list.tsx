"use client";

import { EmptyState } from "@/components/ui/empty-state";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";
import { PAGE_SIZE, RetryableList } from "@/components/ui/retryable-list";
import { useLiveList } from "@/components/ui/use-live-list";
import type { PracticeReplication, ReplicationListRow } from "@/lib/insurance/replication/staff-queries";
import { syncPage as text } from "./messages/sync";
import { replicationColumns } from "./replication-columns";
import { ReplicationFilters, useReplicationFilter } from "./replication-filters";
import { ReplicationHealth } from "./replication-health";

const retryDialog = lazyImport(async () => (await import("./retry-dialog")).RetryDialog);

interface ReplicationPage {
  count: number;
  has_more: boolean;
  newest: number;
  health: PracticeReplication;
  results: ReplicationListRow[];
}
interface Refreshed {
  newer: number;
  health: PracticeReplication;
  results: ReplicationListRow[];
}

interface ReplicationListProps {
  practice: number;
  /** The page the server rendered, and its query. */
  initial: { query: Record<string, string | number | undefined>; page: ReplicationPage };
}

/** Shows the state of replication between policies and legacy records, and its events. */
export function ReplicationList({ practice, initial }: ReplicationListProps) {
  const filter = useReplicationFilter();
  const list = useLiveList<ReplicationListRow, ReplicationPage, Refreshed>({
    practice,
    path: "stream",
    filter: filter.filter,
    paging: { offset: String(filter.offset), limit: String(PAGE_SIZE) },
    initial,
  });
  const health = list.latest?.health ?? list.page?.health;
  const path = `/practices/${practice}/stream`;
  return (
    <RetryableList
      title={text.title}
      retryText={text}
      retryable={health && health.pending + health.failed}
      meta={text.meta}
      practice={practice}
      list={list}
      filter={filter}
      table={{
        label: text.table,
        columns: replicationColumns({ practice, path, onRetried: list.refresh }),
      }}
      eventId={eventId}
      path={path}
      empty={<EmptyState title={text.empty}>{text.emptyHelp}</EmptyState>}
      RetryDialog={useLazyImport(retryDialog)}
    >
      {health && <ReplicationHealth practice={practice} health={health} />}
      <ReplicationFilters value={filter} />
    </RetryableList>
  );
}

const eventId = ({ id }: ReplicationListRow) => id;
