"use client";

import { staffCall } from "@/components/session/staff-call";
import { type RetryDialogProps, RetryEvents } from "@/components/ui/retry-dialog";
import type { StatusKind } from "@/components/ui/status";

type Outcome = "queued" | "paused" | "sending" | "delivered" | "canceled" | "absent";

const BATCH_SIZE = 25;
const OUTCOMES: Record<Outcome, { kind: StatusKind; text: string }> = {
  queued: { kind: "good", text: "Will be sent now" },
  paused: { kind: "warning", text: "Will be sent when its subscription is resumed" },
  sending: { kind: "pending", text: "Skipped: an attempt is in progress" },
  delivered: { kind: "archived", text: "Skipped: already delivered" },
  canceled: { kind: "archived", text: "Skipped: its subscription has ended" },
  absent: { kind: "failed", text: "No longer exists" },
};

/** Sends published events again. */
export function RetryDialog({ practice, ...dialog }: RetryDialogProps) {
  const path = `practices/${practice}/events`;
  const retry = async (ids: readonly number[]) => {
    const { results } = await staffCall<{ results: { event_id: number; outcome: Outcome }[] }>(`${path}/retry`, {
      method: "POST",
      body: { event_ids: ids },
    });
    return results.map(({ event_id, outcome }) => ({ id: event_id, ...OUTCOMES[outcome] }));
  };
  return (
    <RetryEvents
      {...dialog}
      path={path}
      toIds={({ count, event_ids }: { count: number; event_ids: number[] }) => ({ count, ids: event_ids })}
      description="Each event is sent to its endpoint again, with the current record. Clients recognize a repeated event by its ID."
      selected="selected. Delivered events are skipped."
      none="Nothing to retry: no matching event is undelivered or waiting for another attempt. Events that a client rejected were delivered."
      batchSize={BATCH_SIZE}
      retry={retry}
    />
  );
}
