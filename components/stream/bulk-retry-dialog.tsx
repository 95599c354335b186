"use client";

import { useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { counted } from "@/components/ui/amounts";
import { BulkDialog } from "@/components/ui/bulk-dialog";
import type { StreamListRow } from "@/lib/sync/staff-queries";
import { isRetriable, retryOneOfMany } from "./retry-outcome";

/** These events, or all that fit a filter. */
export type RetryTarget = { ids: readonly number[] } | { filter: Record<string, string> };

const PAGE = 100;
const MOST_LOOKED_AT = 2_000;

interface Found {
  /** The oldest first: that is the order in which they have to be applied. */
  ids: number[];
  /** Open events there are more of than were looked at. */
  unseen: number;
}

interface RetryDialogProps {
  practice: number;
  target: RetryTarget;
  onClose: () => void;
  onEnd: () => void;
}

/** Has events of the stream tried again, one after the other. */
export function BulkRetryDialog({ practice, target, onClose, onEnd }: RetryDialogProps) {
  const filter = "filter" in target ? target.filter : null;
  const found = useQuery({
    queryKey: ["stream-retriable", practice, filter],
    queryFn: ({ signal }) => findRetriable(practice, filter ?? {}, signal),
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
      before={<Before count={ids?.length ?? 0} unseen={found.data?.unseen ?? 0} chosen={!filter} />}
      size={1}
      run={async (batch) => Promise.all(batch.map((id) => retryOneOfMany(practice, id)))}
      hrefOf={(id) => `/practices/${practice}/stream/${id}`}
      onClose={onClose}
      onEnd={onEnd}
    />
  );
}

function Before({ count, unseen, chosen }: { count: number; unseen: number; chosen: boolean }) {
  if (count === 0) {
    return <p>Nothing to retry: no event that fits has failed or waits for another attempt.</p>;
  }
  return (
    <>
      <p>
        <strong>{counted(count, "event")}</strong>{" "}
        {chosen ? "selected. Those that were applied are left alone." : "failed, or wait for another attempt."}
      </p>
      {unseen > 0 && (
        <p className="text-soft mt-1">
          {counted(unseen, "older open event")} were not looked at; another retry takes up what is left.
        </p>
      )}
    </>
  );
}

/** All that fit the filter and can be tried, page by page. */
async function findRetriable(practice: number, filter: Record<string, string>, signal: AbortSignal): Promise<Found> {
  const status = filter.status ?? "open";
  // What was applied or discarded is not tried again.
  if (status === "acknowledged" || status === "discarded") return { ids: [], unseen: 0 };
  const found: StreamListRow[] = [];
  let count = PAGE;
  for (let offset = 0; offset < Math.min(count, MOST_LOOKED_AT); offset += PAGE) {
    const query = new URLSearchParams({ ...filter, status, offset: String(offset), limit: String(PAGE) });
    const path = `practices/${practice}/stream?${query}`;
    const page = await staffCall<{ count: number; results: StreamListRow[] }>(path, { signal });
    count = page.count;
    found.push(...page.results);
  }
  const ids = new Set(found.filter(isRetriable).map(({ id }) => id));
  return { ids: [...ids].sort((one, other) => one - other), unseen: Math.max(0, count - MOST_LOOKED_AT) };
}
