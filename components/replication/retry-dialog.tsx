"use client";

import { useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { BulkCount } from "@/components/ui/bulk-count";
import { BulkDialog } from "@/components/ui/bulk-dialog";
import { retryOneOfMany } from "./retry-outcome";

/** These events, or all that fit a filter. */
export type RetryTarget = { ids: readonly number[] } | { filter: Record<string, string> };

interface Found {
  count: number;
  /** The oldest first: that is the order in which they have to be applied. */
  ids: number[];
}

interface RetryDialogProps {
  practice: number;
  target: RetryTarget;
  onClose: () => void;
  onEnd: () => void;
}

/** Has events of the stream tried again, one after the other. */
export function RetryDialog({ practice, target, onClose, onEnd }: RetryDialogProps) {
  const filter = "filter" in target ? target.filter : null;
  const found = useQuery({
    queryKey: ["stream-retriable", practice, filter],
    queryFn: ({ signal }) =>
      staffCall<Found>(`practices/${practice}/stream/retriable?${new URLSearchParams(filter ?? {})}`, { signal }),
    enabled: filter !== null,
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const ids = "ids" in target ? target.ids.toSorted((one, other) => one - other) : (found.data?.ids ?? null);
  return (
    <BulkDialog
      title={filter && Object.keys(filter).length > 0 ? "Retry all that match the filter" : "Retry events"}
      description="Each is applied to the other side again, and with it what waits behind it."
      act="Retry"
      acting="Retrying"
      acted="retried"
      noun="event"
      ids={ids}
      error={found.error}
      before={
        <BulkCount
          total={found.data?.count ?? ids?.length ?? 0}
          agreed={ids?.length ?? 0}
          words={filter ? "failed, or wait for another attempt." : "selected. Those that were applied are left alone."}
          none="Nothing to retry: no event that fits has failed or waits for another attempt."
        />
      }
      size={1}
      run={async (batch) => Promise.all(batch.map((id) => retryOneOfMany(practice, id)))}
      hrefOf={(id) => `/practices/${practice}/stream/${id}`}
      onClose={onClose}
      onEnd={onEnd}
    />
  );
}
