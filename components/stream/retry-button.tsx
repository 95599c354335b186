"use client";

import { RotateCw } from "lucide-react";
import { useState } from "react";
import { CallError, staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { useToasts } from "@/components/ui/toasts";
import type { StreamStatus } from "@/lib/sync/schema";
import type { StreamListRow } from "@/lib/sync/staff-queries";

interface RetryButtonProps {
  practice: number;
  event: StreamListRow;
  size?: "small" | "normal";
  onDone: () => void;
}

/** Tries an event again at once and says what came of it; nothing where there is nothing to try. */
export function RetryButton({ practice, event, size = "normal", onDone }: RetryButtonProps) {
  const [busy, setBusy] = useState(false);
  const toasts = useToasts();
  const open = event.status === "failed" || (event.status === "pending" && event.attempts > 0);
  if (!open || event.blocked) return null;
  const retry = async () => {
    setBusy(true);
    try {
      const path = `practices/${practice}/stream/${event.id}/retry`;
      const { status, last_error } = await staffCall<{ status: StreamStatus; last_error: string | null }>(path, {
        method: "POST",
      });
      if (status === "acknowledged") toasts.done(`Event ${event.id} is applied.`);
      else if (last_error) toasts.failed(`Event ${event.id} failed again: ${last_error}. It is tried again by itself.`);
      else toasts.done(`Event ${event.id} is in line again.`);
    } catch (error) {
      toasts.failed(error instanceof CallError ? error.message : "The page failed. Nothing was changed.");
    }
    setBusy(false);
    onDone();
  };
  return (
    <Button size={size} busy={busy} aria-label={`Retry event ${event.id}`} onClick={() => void retry()}>
      <RotateCw aria-hidden className="size-4" /> Retry
    </Button>
  );
}
