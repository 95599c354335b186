"use client";

import { type RetryDialogProps, RetryEvents } from "@/components/ui/retry-dialog";
import { retryOneOfMany } from "./retry-outcome";

/** Applies replication events again, one at a time. */
export function RetryDialog({ practice, ...dialog }: RetryDialogProps) {
  return (
    <RetryEvents
      {...dialog}
      path={`practices/${practice}/stream`}
      toIds={(found: { count: number; ids: number[] }) => found}
      description="Each event is applied again, followed by the events that wait behind it."
      selected="selected. Events that were already applied are skipped."
      none="Nothing to retry: no matching event has failed or is waiting for another attempt."
      batchSize={1}
      retry={(batch) => Promise.all(batch.map((id) => retryOneOfMany(practice, id)))}
    />
  );
}
