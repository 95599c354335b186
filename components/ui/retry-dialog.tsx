"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { dialog as dialogText } from "./messages/dialogs";
import { Notice } from "./notice";
import { RetryProgress, type RetryResult } from "./retry-progress";
import type { RetryDialogText } from "./retry-text";
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
  text: RetryDialogText;
  batchSize: number;
  retry: (ids: readonly number[]) => Promise<RetryResult[]>;
}

/** Repeats the selected events, or all that match a filter, and shows the result of each. */
export function RetryEvents<Found>(props: RetryEventsProps<Found>) {
  const { path, target, toIds, text, batchSize, retry, onClose, onEnd } = props;
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
      title={filter && Object.keys(filter).length > 0 ? text.titleMatching : text.title}
      description={text.description}
      footer={
        <>
          <Button onClick={close}>{running ? text.stop : hasStarted ? dialogText.close : dialogText.cancel}</Button>
          {left > 0 && (
            <Button kind="primary" busy={running} onClick={batches.start}>
              {running ? text.running : hasStarted ? text.submitRest(left) : text.submit(left)}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {confirmed === null && retriable.error && (
          <Notice tone="bad" live title={text.countFailed}>
            {retriable.error.message}
          </Notice>
        )}
        {confirmed === null && !retriable.error && <p role="status">{text.counting}</p>}
        {confirmed !== null && !hasStarted && (
          <div role="status">
            <EventCount
              count={confirmed.length}
              total={retriable.data?.count ?? confirmed.length}
              isFiltered={filter !== null}
              text={text}
            />
          </div>
        )}
        {confirmed !== null && hasStarted && (
          <RetryProgress
            results={results}
            text={text}
            total={confirmed.length}
            stopped={stopped}
            error={error}
            path={`/${path}`}
          />
        )}
      </div>
    </Dialog>
  );
}

/** Says how many events will be retried, and how many match. */
function EventCount(props: { count: number; total: number; isFiltered: boolean; text: RetryDialogText }) {
  const { count, total, isFiltered, text } = props;
  if (count === 0) return <p>{text.none}</p>;
  return (
    <>
      <p>{isFiltered ? text.matching(count) : text.chosen(count)}</p>
      {total > count && <p className="text-soft mt-1">{text.limit(total, count)}</p>}
    </>
  );
}
