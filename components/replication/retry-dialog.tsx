"use client";

import { type RetryDialogProps, RetryEvents } from "@/components/ui/retry-dialog";
import { retryDialog } from "./messages/retry-dialog";
import { retryOneOfMany } from "./retry-outcome";

/** Applies replication events again, one at a time. */
export function RetryDialog({ practice, ...dialog }: RetryDialogProps) {
  return (
    <RetryEvents
      {...dialog}
      path={`practices/${practice}/stream`}
      toIds={(found: { count: number; ids: number[] }) => found}
      text={retryDialog}
      batchSize={1}
      retry={(batch) => Promise.all(batch.map((id) => retryOneOfMany(practice, id)))}
    />
  );
}
