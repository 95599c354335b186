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
  delivered: { kind: "archived", text: "Skipped: delivered and not rejected by its client" },
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
      selected="selected. Processed events are skipped."
      none="Nothing to send again: no matching event is undelivered, rejected by its client or waiting for another attempt."
      batchSize={BATCH_SIZE}
      retry={retry}
    />
  );
}
