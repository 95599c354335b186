"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { pluralize } from "./format";
import { Notice } from "./notice";
import { RetryProgress, type RetryResult } from "./retry-progress";
import { useBatches } from "./use-batches";

/** The events with these IDs, or all that match a filter. */
export type RetryTarget = { ids: readonly number[] } | { filter: Record<string, string> };

/** What a list passes to its retry dialog. */
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
  /** Follows the count of selected events: `selected. Processed events are skipped.` */
  selected: string;
  /** Shown if no event can be retried. */
  none: string;
  batchSize: number;
  retry: (ids: readonly number[]) => Promise<RetryResult[]>;
}

/** Retries the selected events, or all that match a filter, and shows the result of each. */
export function RetryEvents<Found>(props: RetryEventsProps<Found>) {
  const { path, target, toIds, description, selected, none, batchSize, retry, onClose, onEnd } = props;
  const filter = "filter" in target ? target.filter : null;
  const retriable = useQuery({
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
  const found = "ids" in target ? target.ids.toSorted((one, other) => one - other) : (retriable.data?.ids ?? null);
  // More events may match by the time the retry runs. It covers those the user saw counted.
  const [confirmed, setConfirmed] = useState(found);
  if (confirmed === null && found !== null) setConfirmed(found);
  const batches = useBatches({ ids: confirmed ?? [], size: batchSize, run: retry, onEnd });
  const { results, left, running, stopped, error } = batches;
  const hasStarted = results.length > 0 || running || stopped || error !== null;
  const close = running ? batches.stop : onClose;
  return (
    <Dialog
      open
      onClose={close}
      title={filter && Object.keys(filter).length > 0 ? "Retry all matching events" : "Retry events"}
      description={description}
      footer={
        <>
          <Button onClick={close}>{running ? "Stop" : hasStarted ? "Close" : "Cancel"}</Button>
          {left > 0 && (
            <Button kind="primary" busy={running} onClick={batches.start}>
              {running ? "Retrying" : hasStarted ? `Retry the remaining ${left}` : `Retry ${pluralize(left, "event")}`}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {confirmed === null && retriable.error && (
          <Notice tone="bad" live title="Couldn't count the events">
            {retriable.error.message}
          </Notice>
        )}
        {confirmed === null && !retriable.error && <p role="status">Counting…</p>}
        {confirmed !== null && !hasStarted && (
          <div role="status">
            <EventCount
              count={confirmed.length}
              total={retriable.data?.count ?? confirmed.length}
              text={filter ? "failed or waiting for another attempt." : selected}
              none={none}
            />
          </div>
        )}
        {confirmed !== null && hasStarted && (
          <RetryProgress results={results} total={confirmed.length} stopped={stopped} error={error} path={`/${path}`} />
        )}
      </div>
    </Dialog>
  );
}

/** Says how many events will be retried, and how many match. */
function EventCount({ count, total, text, none }: { count: number; total: number; text: string; none: string }) {
  if (count === 0) return <p>{none}</p>;
  return (
    <>
      <p>
        <strong>{pluralize(count, "event")}</strong> {text}
      </p>
      {total > count && (
        <p className="text-soft mt-1">
          {pluralize(total, "event")} match. The oldest {count} are retried now; retry again for the rest.
        </p>
      )}
    </>
  );
}
