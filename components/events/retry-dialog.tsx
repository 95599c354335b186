"use client";

import { useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { BulkCount } from "@/components/ui/bulk-count";
import { BulkDialog } from "@/components/ui/bulk-dialog";
import type { StatusKind } from "@/components/ui/status";

/** These events, or all that fit a filter. */
export type RetryTarget = { ids: readonly number[] } | { filter: Record<string, string> };

type Outcome = "queued" | "paused" | "sending" | "delivered" | "canceled" | "absent";
interface Retriable {
  count: number;
  event_ids: number[];
}

const AT_ONCE = 25;
const OUTCOMES: Record<Outcome, { kind: StatusKind; text: string }> = {
  queued: { kind: "good", text: "Will be sent now" },
  paused: { kind: "warning", text: "Waits until its subscription is resumed" },
  sending: { kind: "pending", text: "Left alone: an attempt is under way" },
  delivered: { kind: "archived", text: "Left alone: delivered already" },
  canceled: { kind: "archived", text: "Left alone: its subscription has ended" },
  absent: { kind: "failed", text: "Not there any more" },
};

interface RetryDialogProps {
  practice: number;
  target: RetryTarget;
  onClose: () => void;
  onEnd: () => void;
}

/** Has events sent again. */
export function RetryDialog({ practice, target, onClose, onEnd }: RetryDialogProps) {
  const base = `practices/${practice}/events`;
  const filter = "filter" in target ? target.filter : null;
  const found = useQuery({
    queryKey: [base, "retriable", filter],
    queryFn: ({ signal }) => staffCall<Retriable>(`${base}/retriable?${new URLSearchParams(filter ?? {})}`, { signal }),
    enabled: filter !== null,
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const run = async (ids: readonly number[]) => {
    const { results } = await staffCall<{ results: { event_id: number; outcome: Outcome }[] }>(`${base}/retry`, {
      method: "POST",
      body: { event_ids: ids },
    });
    return results.map(({ event_id, outcome }) => ({ id: event_id, ...OUTCOMES[outcome] }));
  };
  const ids = "ids" in target ? target.ids : (found.data?.event_ids ?? null);
  return (
    <BulkDialog
      title={filter && Object.keys(filter).length > 0 ? "Retry all that match the filter" : "Retry events"}
      description="Each is sent to its target again, with the record as it is now. Clients know a repeated event by its id."
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
          words={
            filter ? "failed, or wait for another attempt." : "selected. Those that were delivered are left alone."
          }
          none="Nothing to retry: no delivery that fits has failed or waits for another attempt. What failed at the client had been delivered."
        />
      }
      size={AT_ONCE}
      run={run}
      hrefOf={(id) => `/practices/${practice}/events/${id}`}
      onClose={onClose}
      onEnd={onEnd}
    />
  );
}
