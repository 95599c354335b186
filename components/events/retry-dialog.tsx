"use client";

import { staffCall } from "@/components/session/staff-call";
import { type RetryDialogProps, RetryEvents } from "@/components/ui/retry-dialog";
import type { StatusKind } from "@/components/ui/status";
import { sendAgainDialog, sendAgainResults as text } from "./messages/dialogs";

type Outcome = "queued" | "paused" | "sending" | "delivered" | "canceled" | "absent";

const BATCH_SIZE = 25;
const OUTCOMES: Record<Outcome, { kind: StatusKind; text: string }> = {
  queued: { kind: "good", text: text.queued },
  paused: { kind: "warning", text: text.paused },
  sending: { kind: "pending", text: text.sending },
  delivered: { kind: "archived", text: text.delivered },
  canceled: { kind: "archived", text: text.canceled },
  absent: { kind: "failed", text: text.absent },
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
      text={sendAgainDialog}
      batchSize={BATCH_SIZE}
      retry={retry}
    />
  );
}
