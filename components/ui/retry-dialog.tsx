"use client";

import { useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { BulkCount } from "./bulk-count";
import { BulkDialog } from "./bulk-dialog";
import type { BulkResult } from "./use-bulk";

/** The events with these IDs, or all that match a filter. */
export type RetryTarget = { ids: readonly number[] } | { filter: Record<string, string> };

/** What a list needs to know to open its retry dialog. */
export interface RetryDialogProps {
  practice: number;
  target: RetryTarget;
  onClose: () => void;
  onEnd: () => void;
}

interface RetriableIds {
  count: number;
  ids: number[];
}

interface RetryEventsProps<Found> extends Omit<RetryDialogProps, "practice"> {
  /** Path of the list. `{path}/retriable` returns the events that match a filter and can be retried. */
  path: string;
  toIds: (found: Found) => RetriableIds;
  description: string;
  /** Follows the count of selected events: `selected. Delivered events are skipped.` */
  selected: string;
  /** Shown if no event can be retried. */
  none: string;
  batchSize: number;
  retry: (ids: readonly number[]) => Promise<BulkResult[]>;
}

const RETRY = { base: "Retry", progressive: "Retrying", past: "retried" };

/** Retries the selected events, or all that match a filter, and shows the result of each. */
export function RetryEvents<Found>(props: RetryEventsProps<Found>) {
  const { path, target, toIds, description, selected, none, batchSize, retry, onClose, onEnd } = props;
  const filter = "filter" in target ? target.filter : null;
  const { data, error } = useQuery({
    queryKey: [path, "retriable", filter],
    queryFn: async ({ signal }) =>
      toIds(await staffCall<Found>(`${path}/retriable?${new URLSearchParams(filter ?? {})}`, { signal })),
    enabled: filter !== null,
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  // Oldest first: replication applies a patient's events in this order.
  const ids = "ids" in target ? target.ids.toSorted((one, other) => one - other) : (data?.ids ?? null);
  return (
    <BulkDialog
      title={filter && Object.keys(filter).length > 0 ? "Retry all that match the filter" : "Retry events"}
      description={description}
      verb={RETRY}
      noun="event"
      ids={ids}
      error={error}
      summary={
        <BulkCount
          total={data?.count ?? ids?.length ?? 0}
          selected={ids?.length ?? 0}
          text={filter ? "failed, or wait for another attempt." : selected}
          none={none}
        />
      }
      batchSize={batchSize}
      run={retry}
      hrefOf={(id) => `/${path}/${id}`}
      onClose={onClose}
      onEnd={onEnd}
    />
  );
}
